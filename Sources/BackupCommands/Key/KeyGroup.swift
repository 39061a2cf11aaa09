package import ArgumentParser

/// `keybackup key`: the key slots of a backup.
package struct KeyGroup: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Show and change what opens the backup.",
    subcommands: [
      KeyListCommand.self, KeyAddCommand.self, KeyIdentifyCommand.self, KeyLabelCommand.self,
      KeyRemoveCommand.self, KeyRepairCommand.self,
    ])

  package init() {}
}
