/// The modules of the command, as folders of Sources: what they say is checked.
enum CommandModules {
  static let all = [
    "CommandKit", "SyncFolders", "SecurityKeys", "Unlocking", "FileCommands", "WalletCommands",
    "BackupCommands", "GuardCommands", "ForeignCommands", "NostrCommands", "CommandTree",
    "KeyBackupTool",
    "ForeignTool", "NostrTool", "GuardCommandsTool",
  ]
}
