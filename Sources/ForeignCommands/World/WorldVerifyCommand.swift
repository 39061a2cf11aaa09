package import ArgumentParser
package import CommandKit
internal import SecurityKeys

/// `keybackup foreign world verify`: opens everything and writes nothing.
package struct WorldVerifyCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Decrypt and check a World App archive; write nothing.",
    discussion: """
      It proves that the archive is whole and that your factor opens it. Nothing proves who made \
      it: compare the account with --account-id.
      If the metadata names another list of files, it ends with 89.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var pins: PINOptions
  @OptionGroup var folder: FolderOptions

  @Argument(help: ArgumentHelp("The sealed archive; - for standard input.", valueName: "archive"))
  var archive: String

  @OptionGroup var keys: WorldKeyOptions

  package init() {}

  package mutating func validate() throws {
    try keys.requireGiven()
    try folder.refuseNamespace()
    if !keys.passkey.securityKey {
      try (device.given + pins.given).refuse(without: "--security-key")
    }
    try WorldInputs.check(archive, keys, pins)
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let opened = try await OpenedWorld(archive, keys, common, device, pins, folder, world)
    let output = common.output(world)
    opened.noteOldState(output)
    if common.json {
      try output.result(json: opened.json())
    } else {
      try opened.show(output)
      try output.result("The archive is whole. Nothing proves who made it.")
    }
    return opened.exitCode
  }
}

/// Standard input, which can be read only once.
enum WorldInputs {
  /// Throws if two inputs would be read from it.
  static func check(_ archive: String?, _ keys: WorldKeyOptions, _ pins: PINOptions) throws {
    if archive == "-", keys.input != nil {
      throw ValidationError("only one input can come from standard input")
    }
    try pins.requireOtherInput(than: archive, keys.input)
  }
}

extension WorldKeyOptions {
  /// Throws if there is nothing to open an archive with.
  func requireGiven() throws {
    guard metadata != nil || encryptedKeypair != nil else {
      throw ValidationError("give one of --metadata and --encrypted-keypair")
    }
  }
}
