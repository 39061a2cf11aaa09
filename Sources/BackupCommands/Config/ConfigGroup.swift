package import ArgumentParser

/// `keybackup config`: this computer's settings.
package struct ConfigGroup: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Show this computer's settings.",
    subcommands: [ConfigShowCommand.self])

  package init() {}
}
