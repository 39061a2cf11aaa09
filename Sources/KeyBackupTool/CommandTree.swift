// The top folder of this module is for the process (Main) and the list of commands. Each
// command is one file in Commands, in the folder of its noun. Nothing but Main uses this
// list.

internal import ArgumentParser
internal import BackupCommands
internal import CommandKit
internal import CommandSupport
internal import FileCommands
internal import ForeignCommands
internal import GuardCommands
internal import HelpPages
internal import NostrCommands
internal import SecurityKeys
internal import WalletCommands

/// The root command.
struct KeyBackup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keybackup",
    abstract: "Back up wallets into a synced folder that only your security key can open.",
    version: "keybackup \(Version.current)",
    subcommands: [
      InitCommand.self, StatusCommand.self, RestoreCommand.self, VerifyCommand.self,
      UnlockCommand.self, LockCommand.self, WalletGroup.self, FileGroup.self, ConflictsGroup.self,
      WritersGroup.self, KeyGroup.self, RotateCommand.self, RecoveryKitGroup.self,
      GuardGroup.self, DevicesCommand.self, PINGroup.self, CredentialGroup.self, DeriveCommand.self,
      NostrGroup.self, ForeignGroup.self,
      DoctorCommand.self, ConfigGroup.self,
    ])
}

extension KeyBackup {
  /// Reads a command line whose first words name a command, by that command's own parser.
  ///
  /// ArgumentParser reads the options of every command in the list several times over; this is
  /// most of what a start costs (docs/performance.md).
  ///
  /// - Parameter arguments: without the program's name.
  /// - Returns: nil where anything is to be said about them, which the whole list's parser does.
  static func parseLeaf(_ arguments: [String]) -> (any KeyBackupCommand)? {
    let path = CommandPath(KeyBackup.self, arguments)
    let command: any ParsableCommand.Type = path.type
    guard command is any KeyBackupCommand.Type else { return nil }
    return (try? command.parseAsRoot(Array(path.rest))) as? any KeyBackupCommand
  }

  /// A command line with values that begin with a hyphen joined to their options.
  ///
  /// It is called for a command line that could not be read: describing a command takes a while.
  ///
  /// - Parameter arguments: without the program's name.
  /// - Returns: the arguments as they can be read.
  static func joiningDashedValues(_ arguments: [String]) -> [String] {
    let path = CommandPath(KeyBackup.self, arguments)
    guard !path.isGroup, path.rest.contains(where: { $0.hasPrefix("-") }) else { return arguments }
    return path.names + HelpRequest.definition(of: path.type).joiningDashedValues(Array(path.rest))
  }
}
