internal import ArgumentParser

/// `keybackup wallet`: the records of a backup.
struct WalletGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wallet", abstract: "Add, list, show and remove the wallets of a backup.",
    subcommands: [
      WalletAddCommand.self, WalletImportCommand.self, WalletListCommand.self,
      WalletShowCommand.self, WalletRemoveCommand.self,
    ])
}
