internal import ArgumentParser
internal import CommandKit
internal import ForeignBackups
internal import SecretMemory
internal import SecurityKeys
internal import SyncFolders

/// Where a root secret comes from: its own file, or a sealed archive.
struct WorldRootOptions: ParsableArguments {
  @OptionGroup var common: CommonOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var pins: PINOptions
  @OptionGroup var folder: FolderOptions

  @Argument(help: ArgumentHelp("The sealed archive; - for standard input.", valueName: "archive"))
  var archive: String?

  @Option(
    help: ArgumentHelp("Read root_secret.json from this file or - instead.", valueName: "file"))
  var rootSecret: String?

  @OptionGroup var keys: WorldKeyOptions

  mutating func validate() throws {
    guard (archive == nil) != (rootSecret == nil) else {
      throw ValidationError("give a sealed archive, or --root-secret FILE")
    }
    if archive == nil, !keys.isUnused {
      throw ValidationError("keypair and factor go with a sealed archive, not with --root-secret")
    }
    if archive != nil {
      guard keys.metadata != nil || keys.encryptedKeypair != nil else {
        throw ValidationError(
          "an archive needs --metadata or --encrypted-keypair; for the root secret's own file: "
            + "--root-secret FILE")
      }
    }
    try folder.refuseNamespace()
    if !keys.passkey.securityKey {
      try (device.given + pins.given).refuse(without: "--security-key")
    }
    try WorldInputs.check(archive ?? rootSecret, keys, pins)
  }

  /// `-` if an input comes from standard input.
  var input: String? { archive == "-" || rootSecret == "-" ? "-" : keys.input }

  /// The account's key.
  ///
  /// - Throws: the errors of reading and of opening an archive, `data-invalid` for an account
  ///   that `--account-id` does not name.
  func accountKey(_ world: World) async throws(UserMessage) -> WorldAccountKey {
    guard let rootSecret else {
      let opened = try await OpenedWorld(
        archive ?? "-", keys, common, device, pins, folder, world)
      return try Self.key(archive) { () throws(ForeignBackupError) in
        try opened.archive.rootSecret()
      }
    }
    try keys.place.requirePrivate(input: rootSecret, besides: folder.folder, world)
    let text =
      rootSecret == "-"
      ? try InputFile.readText(
        rootSecret, limit: WorldLimits.rootSecret, asking: "root secret", common.prompter(world))
      : try InputFile.readPrivate(
        rootSecret, what: "root secret", limit: WorldLimits.rootSecret, world.streams)
    let key = try Self.key(rootSecret) { () throws(ForeignBackupError) in
      try text.withBytes { (text) throws(ForeignBackupError) in
        try WorldRootSecret(parsing: text)
      }
    }
    if let wanted = keys.accountId, wanted.lowercased() != key.id {
      throw UserMessage(
        .dataInvalid, "the root secret is that of \(key.id), which --account-id does not name",
        hint: "check that it is the right file")
    }
    return key
  }

  private static func key(
    _ path: String?, _ read: () throws(ForeignBackupError) -> WorldRootSecret
  ) throws(UserMessage) -> WorldAccountKey {
    do throws(ForeignBackupError) {
      return try read().accountKey()
    } catch {
      throw UserMessage(error, in: path)
    }
  }
}
