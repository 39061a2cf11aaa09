package import ArgumentParser

/// `keybackup foreign celo`: the files of Celo's encrypted backup, which Valora was to use.
package struct CeloGroup: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "celo",
    abstract: "Open, look at and write files of Celo's encrypted backup.",
    subcommands: [
      CeloOpenCommand.self, CeloInspectCommand.self, CeloRequestCommand.self,
      CeloWriteCommand.self,
    ])

  package init() {}
}
