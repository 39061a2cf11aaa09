internal import ArgumentParser

/// `keybackup key`: the key slots of a backup.
struct KeyGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Show and change what opens the backup.",
    subcommands: [
      KeyListCommand.self, KeyAddCommand.self, KeyIdentifyCommand.self, KeyLabelCommand.self,
      KeyRemoveCommand.self, KeyRepairCommand.self,
    ])
}
