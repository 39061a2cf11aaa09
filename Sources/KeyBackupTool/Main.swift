import ArgumentParser

@main
struct KeyBackup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "keybackup")
}
