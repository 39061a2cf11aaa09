internal import ArgumentParser
internal import CommandKit
internal import CommandSupport
internal import GuardCommands
internal import Unlocking

/// The program `keybackup-guard-commands`, which `keybackup guard` runs in its own place.
@main
enum GuardCommandsMain {
  static func main() {
    Program.main(GuardRoot.self, sharing: UnlockOptions.self, group: ["guard"])
  }
}

/// The root command, as `keybackup` has it.
private struct GuardRoot: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keybackup", version: "keybackup \(Version.current)",
    subcommands: [GuardGroup.self])
}
