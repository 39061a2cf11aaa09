package import ArgumentParser
package import CommandKit
internal import CommandSupport
internal import ForeignBackups
internal import Glibc

/// `keybackup foreign sealvault disable`: a device's backups go, and its KDF secret.
package struct SealVaultDisableCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "disable", abstract: "Delete a device's SealVault backups and its KDF secret.",
    discussion: """
      It goes by the names of the files. Changed names and placeholders are named and stay. The next \
      backup still gets a higher version. The password, a file with the KDF secret and a security \
      key's credential are yours to delete.
      """)

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("The folder with the zip files.", valueName: "folder"))
  var target: String

  @Option(help: ArgumentHelp("The ID of the device.", valueName: "id"))
  var deviceId: String

  @Flag(help: "Delete the KDF secret in the desktop's keyring, too.")
  var desktopKeyring = false

  @Flag(name: [.short, .long], help: "Do not ask. Without a terminal it is needed.")
  var yes = false

  package init() {}

  package mutating func validate() throws {
    guard SealVaultName.isWord(deviceId), deviceId.utf8.count <= 100 else {
      throw ValidationError("a device ID has 1 to 100 letters, digits and hyphens")
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let folder = try SealVaultFolder(target)
    let files = folder.all(of: deviceId)
    let others = folder.others(of: deviceId)
    let prompter = common.prompter(world)
    let keyring = SealVaultKeyring(deviceId, mayPrompt: prompter.canAsk, world)
    let hasSecret = desktopKeyring ? try keyring.hasSecret() : false
    guard !files.isEmpty || hasSecret else {
      throw UserMessage(
        .noInput,
        "\(ShellWord.quoted(target)) has no backup of the device \(deviceId)"
          + (desktopKeyring ? ", and the keyring has no KDF secret of it" : ""),
        hint: others.isEmpty
          ? "to see the devices: keybackup foreign sealvault find \(ShellWord.quoted(target))"
          : "these may be of it, look at them yourself: " + ProvedSealVaults.listed(others))
    }
    if !yes { try confirm(files.count, hasSecret, prompter) }
    // The secret first: without it the files are of no use to anybody.
    let isForgotten = hasSecret ? try keyring.forget() : false
    // All are tried, whatever becomes of one.
    let left = files.filter { unsafe unlink("\(target)/\($0)") != 0 && errno != ENOENT }
    let output = common.output(world)
    try output.result(
      "Deleted \(counted(files.count - left.count, "backup"))"
        + (isForgotten ? " and the KDF secret in the keyring." : "."),
      json: [
        "device_id": .string(deviceId),
        "deleted": .array(files.filter { !left.contains($0) }.map { .string($0) }),
        "not_deleted": .array(left.map { .string($0) }),
        "others": .array(others.map { .string($0) }), "secret_deleted": .bool(isForgotten),
      ], ofChange: "the backups were deleted all the same")
    for file in left {
      output.warn("keybackup: \(ShellWord.quoted(file)) could not be deleted")
    }
    for file in others {
      output.warn(
        "keybackup: \(ShellWord.quoted(file)) stays: it may be of this device, look at it yourself")
    }
    return left.isEmpty ? .success : .partial
  }

  private func confirm(
    _ count: Int, _ hasSecret: Bool, _ prompter: Prompter
  ) throws(UserMessage) {
    let backups = counted(count, "backup")
    guard prompter.canAsk else {
      throw UserMessage(
        .usage,
        "\(backups)\(hasSecret ? " and the KDF secret" : "") would be deleted, and nobody can be asked",
        hint: "add --yes to delete them")
    }
    let secret =
      hasSecret ? " and the KDF secret in the keyring, without which no copy of them opens," : ""
    guard try prompter.confirm("Delete \(backups) of \(deviceId)\(secret) for good?") else {
      throw UserMessage(.denied, "not confirmed; nothing was deleted")
    }
  }
}
