internal import ArgumentParser

/// `keybackup conflicts`: wallets with several versions.
struct ConflictsGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts", abstract: "Wallets of which there are several versions.",
    subcommands: [ConflictsListCommand.self, ConflictsKeepCommand.self])
}
