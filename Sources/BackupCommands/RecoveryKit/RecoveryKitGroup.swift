package import ArgumentParser

/// `keybackup recovery-kit`: a key slot on paper.
package struct RecoveryKitGroup: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "recovery-kit",
    abstract: "Make, test and revoke a printed way into the backup.",
    subcommands: [
      RecoveryKitCreateCommand.self, RecoveryKitTestCommand.self, RecoveryKitRevokeCommand.self,
    ])

  package init() {}
}
