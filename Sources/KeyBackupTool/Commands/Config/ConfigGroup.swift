internal import ArgumentParser

/// `keybackup config`: this computer's settings.
struct ConfigGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Show this computer's settings.",
    subcommands: [ConfigShowCommand.self])
}
