package import ArgumentParser
package import CommandKit
internal import ForeignBackups

/// `keybackup foreign celo inspect`: what a file claims, without any secret.
package struct CeloInspectCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Say what hardens a Celo file, and what opens it.",
    discussion: """
      Needs no secret. Nothing that it prints is authenticated: anybody who can write to the \
      folder can change it.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var input: CeloFileArgument

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let backup = try input.read(world)
    let report = CeloReport(backup, at: UInt64(max(0, world.now())))
    let output = common.output(world)
    guard !common.json else {
      try output.result(json: report.json)
      return .success
    }
    for line in report.lines {
      try output.result(
        line.label + String(repeating: " ", count: max(1, 14 - line.label.count)) + line.text,
        hanging: 14)
    }
    if let table = report.table {
      try output.result("")
      try output.result(table)
    }
    output.note(
      "Nothing of this is authenticated. Only a file that opens proves what takes part in its key.")
    return .success
  }
}
