package import ArgumentParser

/// `keybackup foreign world`: the sealed archives of World App.
package struct WorldGroup: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "world",
    abstract: "Open and check backups of World App (version V0).",
    subcommands: [
      WorldOpenCommand.self, WorldVerifyCommand.self, WorldIDCommand.self,
      WorldResetProofCommand.self,
    ])

  package init() {}
}
