internal import CommandKit
internal import CommandSupport
internal import ForeignBackups
internal import SecretMemory
internal import Unlocking

/// A SealVault backup that opened: everything about it was compared.
struct OpenedSealVault: ~Copyable {
  let metadata: SealVaultMetadata
  let database: SecretBytes
  let inside: SealVaultDatabase
  /// The data key that the database holds wrapped; no bytes where it holds none, or a damaged one.
  let dataKey: SecretBytes
  let freshness: SealVaultMemory.Freshness

  /// Reads, decrypts and compares a backup, and remembers its version.
  ///
  /// - Parameters:
  ///   - path: the zip file.
  ///   - secrets: where password and KDF secret come from.
  ///   - unlock: the security keys, and what asks the person.
  ///   - anyVersion: whether the version inside the database may be another one.
  ///   - furtherPINs: the PINs that the command needs after that of the KDF secret's key.
  ///   - world: what surrounds the process.
  /// - Returns: the opened backup.
  /// - Throws: `data-invalid`, `wrong-key`, and the errors of the secrets.
  static func open(
    _ path: String, _ secrets: SealVaultSecretOptions, _ unlock: UnlockOptions,
    anyVersion: Bool, furtherPINs: Int = 0, _ world: World
  ) async throws(UserMessage) -> OpenedSealVault {
    // Everything that needs no secret comes first.
    let name = path.split(separator: "/").last.map(String.init)
    if let name, name.hasPrefix("."), name.hasSuffix(".icloud") {
      throw UserMessage(
        .incomplete, "\(ShellWord.quoted(path)) is a placeholder: the file is not downloaded yet",
        hint: "download it where iCloud runs, and name the zip file")
    }
    let zip = try InputFile.readSecret(path, limit: SealVaultBackup.sizeLimit, world.streams)
    do {
      let backup = try SealVaultBackup(parsing: zip, named: path == "-" ? nil : name)
      let metadata = backup.metadata
      let memory = try SealVaultMemory(of: metadata.deviceID, world)
      // What cannot be compared is said before the person types anything.
      _ = try memory.seen()
      let prompter = unlock.common.prompter(world)
      if prompter.canAsk {
        prompter.tell(
          "The file says that it is of the device \"\(PrintableText.name(metadata.deviceName))\".")
      }
      try secrets.requireUsable(prompter)
      let password = try secrets.password(prompter)
      let secret = try await secrets.secret(
        of: metadata.deviceID, unlock, mayMake: false, furtherPINs: furtherPINs, world)
      let keys = try SealVaultKeys(
        password: password, secret: secret.bytes, nonce: metadata.kdfNonce)
      let database = try backup.open(with: keys)
      let inside = try SealVaultDatabase(database)
      try Interruption.check()
      if let version = inside.version, version != metadata.version, !anyVersion {
        throw UserMessage(
          .dataInvalid,
          "the database says that it is version \(version), and metadata.json \(metadata.version)",
          hint:
            "SealVault would not restore it; to take it all the same: keybackup foreign sealvault open "
            + "\(ShellWord.quoted(path)) --any-version --out FOLDER")
      }
      var dataKey = SecretBytes(zeroed: 0)
      // A damaged one takes nothing from the database, which is proved.
      if let wrapped = inside.wrappedKey, let key = try? keys.unwrap(wrapped) { dataKey = key }
      let freshness = try memory.meet(
        SealVaultMemory.Seen(version: metadata.version, digest: Hex.string(backup.digest)))
      return OpenedSealVault(
        metadata: metadata, database: database, inside: inside, dataKey: dataKey,
        freshness: freshness)
    } catch let error as ForeignBackupError {
      throw UserMessage(error, in: path)
    } catch let error as UserMessage {
      throw error
    } catch {
      throw UserMessage(.internalError, "a fault in keybackup: an unknown error")
    }
  }

  /// The facts about it, without a secret.
  var json: JSONOutput {
    [
      "device_id": .string(metadata.deviceID), "device_name": .string(metadata.deviceName),
      "operating_system": .string(metadata.operatingSystem),
      "version": .number(Int(metadata.version)), "timestamp": .number(Int(metadata.timestamp)),
      "version_inside": .optional(inside.version.map { Int($0) }),
      "database_intact": .bool(inside.isIntact), "has_data_key": .bool(dataKey.count > 0),
      "freshness": .string(freshness.word),
    ]
  }

  /// The same as lines.
  var lines: [String] {
    [
      "Device    \"\(PrintableText.name(metadata.deviceName))\" (\(metadata.deviceID), "
        + "\(metadata.operatingSystem))",
      "Backup    version \(metadata.version), "
        + "\(PrintableTime.minute(UInt64(max(0, metadata.timestamp)))) UTC",
      "Database  \(PrintableSize.text(UInt64(database.count)))"
        + (inside.isIntact ? "" : ", which SQLite does not open")
        + (inside.version == nil ? "" : ", of the same version inside"),
      "Data key  "
        + (dataKey.count > 0
          ? "unwrapped" : inside.wrappedKey == nil ? "none in the database" : "damaged"),
    ]
  }

  /// Says what the person should know beside the result.
  func warn(_ output: Output) {
    switch freshness {
    case .newest: break
    case .older(let version):
      output.warn(
        "keybackup: version \(version) of this device opened here before: this one is older")
      output.warn("hint: look for the newer one: keybackup foreign sealvault find FOLDER")
    case .other:
      output.warn(
        "keybackup: another backup of this version opened here before: one of the two is not what "
          + "the device wrote last")
    }
    if !inside.isIntact {
      output.warn(
        "keybackup: it was decrypted to the last byte, but SQLite finds no intact database in it")
      output.warn(
        "hint: it was so when the device backed it up, and no byte of it was changed since; an "
          + "earlier backup may hold a whole one")
    }
    if inside.wrappedKey != nil, dataKey.count == 0 {
      output.warn(
        "keybackup: the data key in the database does not unwrap: the wallets' keys stay encrypted")
    }
  }

  /// The exit code.
  var exitCode: ExitReason { freshness == .newest ? .success : .rollback }
}
