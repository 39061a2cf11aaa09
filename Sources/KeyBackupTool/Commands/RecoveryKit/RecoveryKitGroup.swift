internal import ArgumentParser

/// `keybackup recovery-kit`: a key slot on paper.
struct RecoveryKitGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery-kit",
    abstract: "Make, test and revoke a recovery code: a way in that needs no security key.",
    subcommands: [
      RecoveryKitCreateCommand.self, RecoveryKitTestCommand.self, RecoveryKitRevokeCommand.self,
    ])
}
