internal import ArgumentParser

/// `keybackup writers`: the computers that have written to a backup.
struct WritersGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "writers", abstract: "List and retire the computers that wrote to the backup.",
    subcommands: [WritersListCommand.self, WritersRetireCommand.self])
}
