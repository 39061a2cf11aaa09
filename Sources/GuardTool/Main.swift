internal import ArgumentParser
internal import GuardService

/// The command `keybackup-guard`.
@main struct GuardTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keybackup-guard",
    abstract: "Help others, and yourself, to open backups with a PIN or a login.",
    subcommands: [
      AskCommand.self
    ])
}
