package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import CommandSupport
internal import FileCommands
internal import SecretMemory
internal import SyncFolders
internal import Unlocking
internal import WalletFormats

/// `keybackup wallet show`: one wallet; its secret only when asked for.
package struct WalletShowCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one wallet of the backup.",
    discussion: """
      Without --reveal or --out, everything but the secret is shown. With --version it may be a \
      replaced version, or a removed wallet's: keybackup wallet history lists them.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Argument(help: ArgumentHelp("The wallet's ID, record ID or name.", valueName: "wallet"))
  var wallet: String

  @Option(
    name: [.customLong("version"), .customLong("version-id")],
    help: ArgumentHelp("Show this version, from wallet history.", valueName: "version"))
  var versionId: String?

  @Flag(help: "Print the secret too, also on a terminal.")
  var reveal = false

  @Option(
    help: ArgumentHelp(
      "Write the entry with its secret to this new file, or -.",
      valueName: "file"))
  var out: String?

  @OptionGroup var passphrase: WalletPassphraseOption

  @OptionGroup var place: SyncedFolderOption

  package init() {}

  package mutating func validate() throws {
    if let problem = WalletSelector.problem(wallet) { throw ValidationError(problem) }
    if let versionId, let problem = VersionSelector.problem(versionId) {
      throw ValidationError(problem)
    }
    if out == nil, !reveal { try place.given.refuse(without: "--out or --reveal") }
    if out == "-" {
      try GivenOptions(["--passphrase": passphrase.isGiven]).refuse(besides: "--out -")
    }
    if out == "-", unlock.common.json {
      throw ValidationError("--json has standard output to itself: use --reveal")
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let printsEntry = out == "-"
    let out = printsEntry ? nil : out
    if printsEntry, !reveal { try unlock.output(world).requireNoTerminal("the entry") }
    try OutputFile.requireFree(out)
    let passphrase = try passphrase.read(unlock.common.prompter(world), twice: false)
    let backup = try await unlock.backup(world)
    let printed = printsEntry || reveal ? unlock.output(world).resultFile : nil
    try place.requirePrivate(out, printed: printed, besides: backup.folder.path, world)
    var opened = try await backup.unlock(unlock, world)
    let chosen = try ChosenWallet.find(
      wallet, versionID: versionId, allowsVersions: !reveal && self.out == nil, in: &opened)
    if chosen.versions.count > 1 {
      unlock.output(world).note(
        "This wallet has several versions. For one of them: keybackup wallet show WALLET --version "
          + "VERSION")
    }
    let code = opened.earlierCode
    if printsEntry {
      try unlock.output(world).result(entry: chosen.bytes)
      return code
    }
    if let out {
      try OutputFile.write(chosen.bytes, to: out, world.run)
      unlock.output(world).note(
        "\(ShellWord.quoted(out)) holds the decrypted entry. Delete it when you need it no longer.")
    }
    var rows = chosen.versions
    if rows.count == 1 { try fillFingerprint(&rows, chosen.entry, chosen.bytes, passphrase) }
    do throws(UserMessage) {
      try show(rows, chosen.entry, chosen.bytes, world)
    } catch {
      guard let out else { throw error }
      throw error.adding(hint: "\(ShellWord.quoted(out)) was written all the same")
    }
    return code
  }

  /// Computes the fingerprint, to be shown beside the one that is stated, or in
  /// its place where none is.
  private func fillFingerprint(
    _ rows: inout [VersionRow], _ entry: WalletEntry, _ bytes: borrowing SecretBytes,
    _ passphrase: borrowing SecretBytes
  ) throws(UserMessage) {
    let computed: Fingerprint?
    do throws(WalletFormatError) {
      computed = try entry.computedFingerprint(in: bytes, passphrase: passphrase)
    } catch {
      // What is wrong with the secret keeps nobody from seeing the rest.
      guard self.passphrase.isGiven else { return }
      throw UserMessage(error)
    }
    guard let computed else { return }
    if rows[0].wallet.fingerprint == nil {
      rows[0].wallet.fingerprint = computed.description
    } else {
      rows[0].wallet.computed = (computed, entry.statedFingerprint == computed)
    }
  }

  /// Whether versions are told apart: there are several, or one was asked for.
  private func showsVersions(_ versions: [VersionRow]) -> Bool {
    versions.count > 1 || versionId != nil
  }

  private func show(
    _ versions: [VersionRow], _ entry: WalletEntry, _ bytes: borrowing SecretBytes, _ world: World
  ) throws(UserMessage) {
    let output = unlock.output(world)
    guard let row = versions.first?.wallet else { return }
    if unlock.common.json {
      guard reveal else {
        var json: JSONOutput = ["wallet": row.json]
        if showsVersions(versions) { json["versions"] = .array(versions.map(\.json)) }
        try output.result(json: json)
        return
      }
      // The entry is JSON already: it goes out as it is, from guarded memory.
      let head = #"{"entry":"#
      let rest = unlock.output(world).complete(["wallet": row.json]).text
      try output.write(text: head)
      try output.result(entry: bytes)
      try output.write(text: "," + rest.dropFirst() + "\n")
      return
    }
    for version in versions {
      var lines = version.wallet.fields
      if let (computed, matches) = version.wallet.computed {
        lines.append(
          (
            "COMPUTED",
            "\(computed) " + (matches ? "(matches)" : "(differs: \(passphrase.difference))")
          ))
      }
      if showsVersions(versions) {
        lines.append(("VERSION", version.id))
        lines.append(("WRITTEN BY", version.writtenBy))
        lines.append(("WRITTEN", PrintableTime.minute(version.origin?.at)))
      }
      for (heading, cell) in lines {
        try output.result(
          heading + String(repeating: " ", count: 13 - heading.count) + cell, hanging: 13)
      }
    }
    if reveal {
      // What a person looks for, before the JSON that holds it.
      switch try? entry.secret(in: bytes) {
      case nil: break
      case .some(let secret):
        try output.write(text: "SECRET       ")
        try output.result(entry: secret)
        try output.result("")
      }
      try output.write(text: "ENTRY        ")
      try output.result(entry: bytes)
      try output.result("")
    }
  }
}
