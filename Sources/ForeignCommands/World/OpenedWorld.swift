internal import CSPP
internal import CommandKit
internal import CommandSupport
internal import ForeignBackups
internal import PRFDevice
internal import SecretMemory
internal import SecurityKeys
internal import SyncFolders
internal import Unlocking

/// An archive that was opened and read to its end, and what is known of it.
struct OpenedWorld: ~Copyable {
  let archive: WorldArchive
  let accountID: String
  let manifestHash: [UInt8]
  /// Whether the server's metadata names this manifest; nil without metadata, or without a hash
  /// in it.
  let isCurrent: Bool?

  /// Opens an archive, with a security key if the options name one.
  ///
  /// Everything that can be wrong with the inputs is found before the key is touched.
  ///
  /// - Parameters:
  ///   - path: the archive.
  ///   - options: what opens it.
  ///   - common: the options of every command.
  ///   - device: those of its security key.
  ///   - pins: where PINs come from.
  ///   - folder: the backup, whose credentials are not used.
  ///   - furtherPINs: the PINs that the command needs after that of the factor's key.
  ///   - world: what surrounds the process.
  /// - Throws: the errors of reading, `data-invalid`, `wrong-key`, and those of a security key.
  init(
    _ path: String, _ options: WorldKeyOptions, _ common: CommonOptions, _ device: DeviceOptions,
    _ pins: PINOptions, _ folder: FolderOptions, furtherPINs: Int = 0, _ world: World
  ) async throws(UserMessage) {
    try options.place.requirePrivate(
      input: options.factorSecret, besides: folder.folder, world)
    let sealed = try InputFile.read(path, limit: WorldLimits.sealedArchive, world.streams)
    let keypairs = try options.keypairs(world)
    let secret: SecretBytes
    if options.passkey.securityKey {
      let finder = try options.passkey.factorKey.finder(
        common, device, pins, furtherPINs: furtherPINs, world)
      secret = try await Self.secret(
        of: keypairs, options, finder, EnrolledCredentials.known(world, folder), world)
    } else {
      secret = try Self.secret(of: keypairs, options, common.prompter(world))
    }
    let opened = try Self.read(sealed, secret, path)
    try self.init(opened, path, keypairs.metadata, options, common.output(world))
  }

  private init(
    _ archive: consuming WorldArchive, _ path: String, _ metadata: WorldMetadata?,
    _ options: WorldKeyOptions, _ output: Output
  ) throws(UserMessage) {
    let id = try Self.accountID(of: archive, path)
    let hash = WorldManifest.hash(archive.files)
    if let wanted = options.accountId, wanted.lowercased() != id {
      throw Self.foreign(id, "--account-id")
    }
    if let said = metadata?.accountID, said.lowercased() != id {
      throw Self.foreign(id, "the metadata")
    }
    accountID = id
    manifestHash = hash
    isCurrent = metadata?.manifestHash.map { $0 == hash }
    let unknown = archive.files.count { !$0.isKnown }
    if unknown > 0 {
      output.note(
        "\(counted(unknown, "file")) \(unknown == 1 ? "has" : "have") a designator that is not known here."
      )
    }
    self.archive = archive
  }

  private static func foreign(_ id: String, _ other: String) -> UserMessage {
    UserMessage(
      .dataInvalid, "the root secret in the archive is that of \(id), which \(other) does not name",
      hint: "anybody who has the backup's public key can make such an archive: do not trust it")
  }

  private static func accountID(
    of archive: borrowing WorldArchive, _ path: String
  ) throws(UserMessage) -> String {
    do throws(ForeignBackupError) {
      return try archive.rootSecret().accountKey().id
    } catch {
      throw UserMessage(error, in: path)
    }
  }

  private static func read(
    _ sealed: [UInt8], _ secret: borrowing SecretBytes, _ path: String
  ) throws(UserMessage) -> WorldArchive {
    do throws(ForeignBackupError) {
      return try WorldArchive(sealed: sealed, secret: secret)
    } catch .damaged(part: WorldArchive.seal) {
      throw UserMessage(
        .dataInvalid,
        "the seal of \(ShellWord.quoted(path)) does not open: the file was changed or is not all "
          + "there, or it is the archive of another backup keypair",
        hint: "get another copy of it, or the keypair that belongs to it")
    } catch {
      throw UserMessage(error, in: path)
    }
  }

  /// The keypair's secret, by a security key.
  private static func secret(
    of keypairs: WorldKeypairs, _ options: WorldKeyOptions, _ finder: AuthenticatorFinder,
    _ enrolled: EnrolledCredentials, _ world: World
  ) async throws(UserMessage) -> SecretBytes {
    let evaluation = try await WorldPasskey.evaluate(
      options.passkey, finder, besides: enrolled, world)
    if let secret = try? keypairs.open(with: evaluation.first()) { return secret }
    if let second = evaluation.second(), let secret = try? keypairs.open(with: second) {
      return secret
    }
    throw UserMessage(
      .wrongKey, "the security key's answer does not open the encrypted keypair",
      hint: evaluation.hasSecond
        ? "check --legacy-salt, the passkey and the keypair; a keypair that was changed looks the same"
        : "check the passkey and the keypair; a keypair that was changed looks the same\n"
          + "some older backups of Android have another salt, which is not published; who knows it "
          + "adds --legacy-salt")
  }

  /// The keypair's secret, by a factor secret that a person has.
  private static func secret(
    of keypairs: WorldKeypairs, _ options: WorldKeyOptions, _ prompter: Prompter
  ) throws(UserMessage) -> SecretBytes {
    let secret = EncodedSecret(what: "factor secret", size: X25519.keySize)
    let factor = try secret.read(
      file: options.factorSecret, option: "--factor-secret", prompter,
      nobody: "give --factor-secret FILE or --security-key")
    do throws(ForeignBackupError) {
      return try keypairs.open(with: factor)
    } catch {
      throw UserMessage(
        .wrongKey, "the factor secret does not open the encrypted keypair",
        hint: "check that both are of one backup; a keypair that was changed looks the same")
    }
  }
}

// MARK: Showing

extension OpenedWorld {
  /// The archive as JSON, without its contents.
  func json() -> JSONOutput {
    [
      "account_id": .string(accountID), "manifest_hash": .string(Hex.string(manifestHash)),
      "current": .optional(isCurrent),
      "files": .array(
        archive.files.map { file in
          [
            "path": .string(file.path.text), "designator": .string(file.designator),
            "size": .number(file.size), "checksum": .string(Hex.string(file.checksum)),
          ]
        }),
    ]
  }

  /// Shows the archive as text.
  func show(_ output: Output) throws(UserMessage) {
    if !archive.files.isEmpty {
      try output.result(
        Table(
          columns: [
            Table.Column("DESIGNATOR", rank: 1), Table.Column("SIZE", rank: 2),
            Table.Column("PATH"),
          ],
          rows: archive.files.map { file in
            [
              file.designator, PrintableSize.text(UInt64(file.size)),
              PrintableText.name(file.path.text, limit: WorldLimits.path),
            ]
          }))
    }
    try output.result("Account: \(accountID)")
    try output.result("Manifest hash: \(Hex.string(manifestHash))")
  }

  /// The exit code.
  var exitCode: ExitReason { isCurrent == false ? .rollback : .success }

  /// Says that the server's metadata names another list of files.
  func noteOldState(_ output: Output) {
    guard isCurrent == false else { return }
    output.warn(
      "keybackup: the metadata names another list of files than this archive has: "
        + "one of the two is older")
    output.warn("hint: get both again, from one answer of the server, and compare")
  }
}
