package import ArgumentParser

/// `keybackup foreign`: backups that other programs wrote, each in a group of its own.
package struct ForeignGroup: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "foreign",
    abstract: "Open backups that other programs wrote.",
    subcommands: [SealVaultGroup.self, WorldGroup.self, CeloGroup.self])

  package init() {}
}
