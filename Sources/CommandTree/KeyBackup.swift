// This module is the list of commands. What other programs run is in it by name alone.

package import ArgumentParser
internal import BackupCommands
package import CommandKit
internal import CommandSupport
internal import FileCommands
internal import SecurityKeys
internal import WalletCommands

/// The root command, with the commands that `keybackup` itself has.
package struct KeyBackup: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "keybackup",
    abstract: "Back up wallets into a synced folder that only your security key can open.",
    version: "keybackup \(Version.current)",
    subcommands: [
      InitCommand.self, StatusCommand.self, RestoreCommand.self, VerifyCommand.self,
      UnlockCommand.self, LockCommand.self, WalletGroup.self, FileGroup.self, ConflictsGroup.self,
      WritersGroup.self, KeyGroup.self, RotateCommand.self, RecoveryKitGroup.self,
      GuardWaysProgram.self, DevicesCommand.self, PINGroup.self, CredentialGroup.self,
      DeriveCommand.self,
      NostrProgram.self, ForeignProgram.self,
      DoctorCommand.self, ConfigGroup.self,
    ])

  /// Those that other programs run.
  package static let otherPrograms: [any OtherProgramGroup.Type] = [
    NostrProgram.self, ForeignProgram.self, GuardWaysProgram.self,
  ]

  package init() {}
}
