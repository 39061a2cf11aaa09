internal import ArgumentParser

/// `keybackup key`: the ways into a backup.
struct KeyGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Show the security keys that open the backup.",
    subcommands: [KeyListCommand.self, KeyIdentifyCommand.self])
}
