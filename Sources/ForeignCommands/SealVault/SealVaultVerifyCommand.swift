package import ArgumentParser
package import CommandKit
internal import SyncFolders
internal import Unlocking

/// `keybackup foreign sealvault verify`: opens a backup and writes nothing.
package struct SealVaultVerifyCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check a SealVault backup to its last byte; write nothing.",
    discussion: """
      It needs the password and the KDF secret. A version that is older than one that opened \
      here before ends with exit code 89.
      """)

  @OptionGroup var unlock: UnlockOptions
  @OptionGroup var secrets: SealVaultSecretOptions
  @OptionGroup var synced: SyncedFolderOption

  @Argument(help: ArgumentHelp("The zip file; - for standard input.", valueName: "zip"))
  var zip: String

  package init() {}

  package mutating func validate() throws {
    try unlock.refuseUnused(opens: nil, usesKey: secrets.securityKey)
    try unlock.requireOtherInput(than: secrets.input, zip)
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    try secrets.requirePrivate(synced, world)
    let opened = try await OpenedSealVault.open(
      zip, secrets, unlock, anyVersion: false, world)
    let output = unlock.output(world)
    if unlock.common.json {
      try output.result(json: opened.json)
    } else {
      for line in opened.lines { try output.result(line) }
    }
    opened.warn(output)
    return opened.exitCode
  }
}
