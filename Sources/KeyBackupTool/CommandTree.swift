// The top folder of this module is for the process (Main) and the list of commands. Each
// command is one file in Commands, in the folder of its noun. Nothing but Main uses this
// list.

internal import ArgumentParser

/// The root command.
struct KeyBackup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keybackup",
    abstract: "Back up wallets into a synced folder that only your security key can open.",
    version: "keybackup \(Version.current)",
    subcommands: [
      InitCommand.self, StatusCommand.self, RestoreCommand.self, VerifyCommand.self,
      UnlockCommand.self, LockCommand.self, WalletGroup.self, ConflictsGroup.self,
      WritersGroup.self, KeyGroup.self, RotateCommand.self, RecoveryKitGroup.self,
      DevicesCommand.self,
      PINGroup.self, CredentialGroup.self, DeriveCommand.self, NostrGroup.self, DoctorCommand.self,
    ])
}

/// The version that `--version` prints and CHANGELOG.md describes.
enum Version {
  static let current = "0.1.0"
}
