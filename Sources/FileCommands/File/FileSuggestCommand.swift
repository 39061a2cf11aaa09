package import ArgumentParser
package import CommandKit
internal import CommandSupport

/// `keybackup file suggest`: what other programs keep on this computer, and how it may be copied.
package struct FileSuggestCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "suggest", abstract: "List the files of wallets and keys that are worth a backup.",
    discussion: """
      Looks where Bitcoin Core, Electrum, Sparrow, Specter, LND, Core Lightning, Wasabi, GnuPG, SSH, \
      pass, KeePassXC and Aegis keep theirs. Reads no secret and changes nothing.
      """)

  @Flag(help: "List the files that are not on this computer, too.")
  var all = false

  @OptionGroup var common: CommonOptions

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    guard let home = world.variable("HOME") else {
      throw UserMessage(.config, "HOME is not set", hint: "set HOME")
    }
    let output = common.output(world)
    let found = FoundFile.find(in: home, all: all)
    if common.json {
      try output.result(json: ["files": .array(found.map(\.json))])
      return .success
    }
    if found.isEmpty {
      output.note("No file of a known program is in the home folder. To see them: --all")
    }
    for file in found { try show(file, output) }
    if found.contains(where: { $0.exists && !$0.isForbidden }) {
      output.note("To back one up: keybackup file add PATH")
      output.note("To back up every change of one: keybackup file watch PATH")
    }
    return .success
  }

  private func show(_ file: FoundFile, _ output: Output) throws(UserMessage) {
    let place = ShellWord.quoted(file.path)
    try output.result(title: file.exists ? place : "\(file.path) (not here)")
    let entry = file.entry
    try output.result("  \(entry.program): \(entry.holds).")
    if file.isForbidden {
      try output.result("  Do not back it up: \(file.advice?.reason ?? entry.advice).")
      if let instead = file.advice?.instead { try output.result("  Instead: \(instead).") }
    } else {
      try output.result("  \(entry.restoring) \(entry.copying)")
      try output.result("  \(entry.advice.prefix(1).uppercased() + entry.advice.dropFirst()).")
      if let advice = file.advice { try output.result("  Now: \(advice.reason).") }
    }
    if common.verbose { try output.result("  See \(entry.source)") }
  }
}

extension CatalogueEntry {
  fileprivate var restoring: String {
    restores == .alone ? "The copy alone restores it." : "The copy alone is not enough."
  }

  fileprivate var copying: String {
    live == .safe ? "It can be copied at any time." : "Copy it while its program is closed."
  }
}

extension FoundFile {
  fileprivate var json: JSONOutput {
    [
      "program": .string(entry.program), "path": .string(path), "exists": .bool(exists),
      "holds": .string(entry.holds),
      "restores": .string(isForbidden ? "never" : entry.restores.rawValue),
      "live": .string(
        isForbidden ? "never" : advice?.weight == .notNow ? "closed" : entry.live.rawValue),
      "advice": .string(advice?.instead ?? entry.advice), "reason": .optional(advice?.reason),
      "source": .string(entry.source),
    ]
  }
}
