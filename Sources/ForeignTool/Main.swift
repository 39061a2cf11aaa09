internal import ArgumentParser
internal import CommandKit
internal import CommandSupport
internal import ForeignCommands
internal import Unlocking

/// The program `keybackup-foreign`, which `keybackup foreign` runs in its own place.
@main
enum ForeignMain {
  static func main() {
    Program.main(ForeignRoot.self, sharing: UnlockOptions.self, group: ["foreign"])
  }
}

/// The root command, as `keybackup` has it.
private struct ForeignRoot: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keybackup", version: "keybackup \(Version.current)",
    subcommands: [ForeignGroup.self])
}
