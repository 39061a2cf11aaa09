package import ArgumentParser

/// `keybackup writers`: the computers that write to a backup.
package struct WritersGroup: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "writers",
    abstract: "Authorise, list and retire the computers that write.",
    subcommands: [
      WritersRequestCommand.self, WritersAuthoriseCommand.self, WritersAcceptCommand.self,
      WritersListCommand.self, WritersRetireCommand.self,
    ])

  package init() {}
}
