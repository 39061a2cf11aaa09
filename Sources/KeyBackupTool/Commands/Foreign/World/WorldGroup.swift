internal import ArgumentParser

/// `keybackup foreign world`: the sealed archives of World App.
struct WorldGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "world",
    abstract: "Open and check backups of World App (version V0).",
    subcommands: [
      WorldOpenCommand.self, WorldVerifyCommand.self, WorldIDCommand.self,
      WorldResetProofCommand.self,
    ])
}
