import ArgumentParser
import GuardClient
import GuardService

/// The command `keybackup-guard`.
@main struct GuardTool: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "keybackup-guard")
}
