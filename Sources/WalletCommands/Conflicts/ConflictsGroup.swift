package import ArgumentParser

/// `keybackup conflicts`: wallets with several versions.
package struct ConflictsGroup: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "conflicts", abstract: "List wallets with several versions, and keep one of them.",
    subcommands: [ConflictsListCommand.self, ConflictsKeepCommand.self])

  package init() {}
}
