internal import ArgumentParser
internal import CommandTree
internal import ForeignCommands
internal import GuardCommands
internal import NostrCommands

/// The commands of `keybackup`, with those that other programs run in their places.
struct AllCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: KeyBackup.configuration.commandName,
    abstract: KeyBackup.configuration.abstract,
    version: KeyBackup.configuration.version,
    subcommands: KeyBackup.configuration.subcommands.map { command in
      switch command {
      case is ForeignProgram.Type: ForeignGroup.self
      case is NostrProgram.Type: NostrGroup.self
      case is GuardWaysProgram.Type: GuardGroup.self
      default: command
      }
    })
}
