package import ArgumentParser

/// `keybackup foreign sealvault`: the zip files that SealVault put into iCloud.
package struct SealVaultGroup: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "sealvault",
    abstract: "Find, open, check and write backups of SealVault.",
    subcommands: [
      SealVaultFindCommand.self, SealVaultOpenCommand.self, SealVaultVerifyCommand.self,
      SealVaultWriteCommand.self, SealVaultDisableCommand.self,
    ])

  package init() {}
}
