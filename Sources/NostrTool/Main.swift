internal import ArgumentParser
internal import CommandKit
internal import CommandSupport
internal import NostrCommands
internal import Unlocking

/// The program `keybackup-nostr`, which `keybackup nostr` runs in its own place.
@main
enum NostrMain {
  static func main() {
    Program.main(NostrRoot.self, sharing: UnlockOptions.self, group: ["nostr"])
  }
}

/// The root command, as `keybackup` has it.
private struct NostrRoot: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keybackup", version: "keybackup \(Version.current)",
    subcommands: [NostrGroup.self])
}
