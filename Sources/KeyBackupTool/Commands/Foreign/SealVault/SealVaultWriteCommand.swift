internal import ArgumentParser
internal import BackupFolder
internal import ForeignBackups
internal import Glibc
internal import SecretMemory

/// `keybackup foreign sealvault write`: a database as a backup that SealVault would read.
struct SealVaultWriteCommand: ParsableCommand, KeyBackupCommand {
  static let configuration = CommandConfiguration(
    commandName: "write", abstract: "Write a SQLite database as a SealVault backup.",
    discussion: """
      Its version is higher than any that is known of the device. Older ones of the device are \
      deleted once the new one is on the disk.
      """)

  @OptionGroup var unlock: UnlockOptions
  @OptionGroup var secrets: SealVaultSecretOptions

  @Argument(help: ArgumentHelp("The database.", valueName: "database"))
  var database: String

  @Argument(help: ArgumentHelp("The folder that gets the backup.", valueName: "folder"))
  var target: String

  @Option(help: ArgumentHelp("The ID of the device.", valueName: "id"))
  var deviceId: String

  @Option(
    help: ArgumentHelp(
      "The device's name, in the open (default: this computer's).", valueName: "name"))
  var deviceName: String?

  @Option(help: ArgumentHelp("Its operating system.", valueName: "system"))
  var system = "linux"

  @Option(
    help: ArgumentHelp("Make a password and write it to this new file.", valueName: "path"))
  var newPassword: String?

  @OptionGroup var synced: SyncedFolderOption

  mutating func validate() throws {
    if newPassword != nil, secrets.passwords.isGiven {
      throw ValidationError("--new-password makes one: leave out the other password")
    }
    if newPassword == "" || newPassword == "-" {
      throw ValidationError("--new-password names a file")
    }
    guard SealVaultName.isWord(deviceId), deviceId.utf8.count <= 100 else {
      throw ValidationError("a device ID has 1 to 100 letters, digits and hyphens")
    }
    guard SealVaultName.isWord(system), system.utf8.count <= 50 else {
      throw ValidationError("--system has 1 to 50 letters, digits and hyphens")
    }
    if let deviceName {
      let isPlain = !deviceName.unicodeScalars.contains { PrintableText.isUnsafe($0) }
      guard isPlain, (1...1024).contains(deviceName.utf8.count) else {
        throw ValidationError("a device's name has 1 to 1024 bytes and no control characters")
      }
    }
    try unlock.requireOtherInput(than: secrets.input)
  }

  func run(in world: World) async throws(UserMessage) -> ExitCode {
    try synced.requirePrivate(input: secrets.kdfSecret, besides: target, world)
    try synced.requirePrivate(newPassword, besides: target, world)
    try OutputFile.requireFree(newPassword)
    guard FileCheck.isFile(database) else {
      throw UserMessage(
        .noInput, "\(ShellWord.quoted(database)) is no file",
        hint: FileCheck.unexpanded(database) ?? "check the path")
    }
    let memory = try SealVaultMemory(of: deviceId, world)
    let copy = try copied()
    let version = try nextVersion(memory, inside: copy.inside)
    // From here on the number is taken, whatever happens.
    try memory.take(version)
    let zip = try await zip(copy, version, world)
    let output = unlock.output(world)
    let name = zip.name.text
    try place(zip.bytes, as: name)
    try memory.keep(SealVaultMemory.Seen(version: version, digest: zip.digest))
    let old = try SealVaultFolder(target).older(than: version, of: deviceId)
    let left = old.filter { unsafe unlink("\(target)/\($0)") != 0 && errno != ENOENT }
    try output.result(
      "Wrote \(ShellWord.quoted("\(target)/\(name)"))",
      json: [
        "file": .string(name), "device_id": .string(deviceId), "version": .number(Int(version)),
        "deleted": .array(old.filter { !left.contains($0) }.map { .string($0) }),
        "not_deleted": .array(left.map { .string($0) }),
      ], ofChange: "the backup was written all the same")
    for file in left {
      output.warn("keybackup: the older \(ShellWord.quoted(file)) could not be deleted")
    }
    return left.isEmpty ? .success : .partial
  }

  /// The database as it goes into the backup.
  private struct Copied: ~Copyable {
    let bytes: SecretBytes
    let inside: SealVaultDatabase
  }

  /// The next backup, sealed and opened again.
  private struct Zip {
    let bytes: [UInt8]
    let name: SealVaultName
    let digest: String
  }

  private func copied() throws(UserMessage) -> Copied {
    do throws(ForeignBackupError) {
      let bytes = try SealVaultDatabase.copy(of: database)
      let inside = try SealVaultDatabase(bytes)
      return Copied(bytes: bytes, inside: inside)
    } catch {
      throw UserMessage(error, in: database)
    }
  }

  /// A version above all that are known: in the folder, by this computer, in the database.
  private func nextVersion(
    _ memory: SealVaultMemory, inside: SealVaultDatabase
  ) throws(UserMessage) -> Int64 {
    let named = try SealVaultFolder(target).files.compactMap(\.name)
      .filter { $0.deviceID == deviceId }.map(\.version)
    let known = try (named + [memory.highest(), inside.version ?? 0]).max() ?? 0
    guard known < 1 << 53 else {
      throw UserMessage(
        .dataInvalid, "a backup of this device claims the version \(known): none is above it",
        hint: "look at the names in \(ShellWord.quoted(target)), and move a wrong one away")
    }
    return known + 1
  }

  private func zip(
    _ copy: borrowing Copied, _ version: Int64, _ world: World
  ) async throws(UserMessage) -> Zip {
    let prompter = unlock.common.prompter(world)
    let password: SealVaultPassword
    if let newPassword {
      password = .generate()
      var line = SecretText()
      line.append(text: password.display)
      line.append("\n")
      try OutputFile.write(line.finish(), to: newPassword)
    } else {
      password = try secrets.password(prompter)
    }
    let secret = try await secrets.secret(of: deviceId, unlock, mayMake: true, world)
    do throws(ForeignBackupError) {
      // The data key inside is wrapped under the nonce that is inside, too.
      let nonce = copy.inside.wrappedKey == nil ? nil : copy.inside.kdfNonce
      let metadata = try SealVaultMetadata(
        version: version, timestamp: world.now(), deviceID: deviceId,
        deviceName: deviceName ?? world.hostName, operatingSystem: system,
        kdfNonce: nonce ?? Randomness.bytes(count: SealVaultKeys.nonceSize))
      let keys = try SealVaultKeys(
        password: password, secret: secret, nonce: metadata.kdfNonce)
      if let wrapped = copy.inside.wrappedKey {
        do throws(ForeignBackupError) {
          _ = try keys.unwrap(wrapped)
        } catch {
          throw .wrongSecret(part: "another password or KDF secret than before")
        }
      }
      let contents =
        copy.inside.version == nil
        ? copy.bytes.copy() : try SealVaultDatabase.copy(of: copy.bytes, version: version)
      let bytes = try SealVaultBackup.write(contents.copy(), metadata, with: keys)
      let again = try SealVaultBackup(
        parsing: unsafe SecretBytes(copying: bytes.span.bytes), named: metadata.name.text)
      guard again.metadata == metadata, try again.open(with: keys).isEqual(to: contents) else {
        throw .damaged(part: "the new backup")
      }
      return Zip(bytes: bytes, name: metadata.name, digest: Hex.string(again.digest))
    } catch {
      throw UserMessage(error, in: database)
    }
  }

  /// Gives the zip file its name once it is on the disk and was read back.
  private func place(_ zip: [UInt8], as name: String) throws(UserMessage) {
    let taken: [String]
    do throws(BackupFolderError) {
      var folder = try PrivateFolder(path: target)
      try folder.write(unsafe SecretBytes(copying: zip.span.bytes), as: name)
      try folder.place()
      taken = folder.taken
    } catch {
      throw UserMessage(error)
    }
    guard taken.isEmpty else {
      throw UserMessage(
        .cannotCreate, "\(ShellWord.quoted("\(target)/\(name)")) exists and is never overwritten",
        hint: "run it again: it gets the next version")
    }
  }
}
