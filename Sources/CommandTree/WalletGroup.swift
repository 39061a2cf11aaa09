internal import ArgumentParser
internal import WalletCommands

/// `keybackup wallet`: the records of a backup.
struct WalletGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wallet",
    abstract: "Add, list, show, remove, import and export wallets.",
    subcommands: [
      WalletAddCommand.self, WalletImportCommand.self, WalletExportCommand.self,
      WalletListCommand.self, WalletShowCommand.self, WalletHistoryCommand.self,
      WalletKeepCommand.self, WalletRemoveCommand.self,
    ])
}
