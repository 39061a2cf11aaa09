package import ArgumentParser
internal import BackupFolder
package import CommandKit
internal import CommandSupport
internal import ForeignBackups
internal import Glibc
internal import SecretMemory
internal import SyncFolders
internal import Unlocking

/// `keybackup foreign sealvault write`: a database as a backup that SealVault would read.
package struct SealVaultWriteCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "write", abstract: "Write a SQLite database as a SealVault backup.",
    discussion: """
      Its version is higher than any that is known of the device. Older ones of the device that this \
      password and KDF secret open are deleted once the new one is on the disk.
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

  package init() {}

  package mutating func validate() throws {
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
      let isPlain = !deviceName.unicodeScalars.contains { UnsafeText.isUnsafe($0) }
      guard isPlain, (1...1024).contains(deviceName.utf8.count) else {
        throw ValidationError("a device's name has 1 to 1024 bytes and no control characters")
      }
    }
    try unlock.refuseUnused(opens: nil, usesKey: secrets.securityKey)
    try unlock.requireOtherInput(than: secrets.input)
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    try secrets.requirePrivate(synced, besides: target, world)
    try synced.requirePrivate(newPassword, besides: target, world)
    try OutputFile.requirePlace(newPassword)
    guard FileCheck.isFile(database) else {
      throw UserMessage(
        .noInput, "\(ShellWord.quoted(database)) is no file",
        hint: FileCheck.unexpanded(database) ?? "check the path")
    }
    let copy = try copied()
    let hasKey = copy.inside.wrappedKey != nil
    if newPassword != nil, hasKey {
      throw UserMessage(
        .usage,
        "\(ShellWord.quoted(database)) holds a data key, which a new password does not unwrap",
        hint: "give the password of its earlier backups in the place of --new-password")
    }
    let memory = try SealVaultMemory(of: deviceId, world)
    // What cannot be read is said before anything is asked for.
    let remembered = try memory.seen()
    var claims = ProvedSealVaults(
      named: try SealVaultFolder(
        target, advice: "make the folder first: mkdir \(ShellWord.quoted(target))"), of: deviceId)
    let prompter = unlock.common.prompter(world)
    try secrets.requireUsable(prompter, makesPassword: newPassword != nil)
    let password: SealVaultPassword
    if newPassword == nil {
      password = try secrets.password(
        prompter, advice: hasKey ? nil : "to make a new one: --new-password FILE")
    } else {
      password = .generate()
    }
    let secret = try await secrets.secret(of: deviceId, unlock, mayMake: !hasKey, world)
    // No backup that is there was made with a new secret.
    if newPassword == nil, secret.keyring == nil {
      try claims.prove(in: target, knowing: remembered, password, secret.bytes)
    }
    if !hasKey, claims.proved.isEmpty,
      secrets.isTyped(makesPassword: newPassword != nil, world.streams)
    {
      prompter.tell("No earlier backup here opens with this. A slip would be found too late.")
      try secrets.confirm(password, isNew: newPassword != nil, secret.bytes, prompter)
    }
    let number = try SealVaultNumber(
      after: claims, known: max(memory.highest(), copy.inside.version ?? 0))
    // From here on the number is taken, whatever happens.
    try memory.take(number.version)
    let backup = try NewSealVault(
      copy.bytes, copy.inside, from: database, metadata(number.version, copy.inside, world),
      password, secret.bytes)
    // The last moment at which nothing is left behind.
    try Interruption.check()
    // It opens: now what it depends on may be kept.
    if let keyring = secret.keyring { try keyring.keep(secret.bytes) }
    try place(backup, password, world.run)
    do throws(UserMessage) {
      try memory.keep(SealVaultMemory.Seen(version: number.version, digest: backup.digest))
    } catch {
      throw error.adding(
        hint: "\(ShellWord.quoted("\(target)/\(backup.name)")) was written all the same")
    }
    return try finish(backup, claims, number, unlock.output(world))
  }

  /// Deletes the earlier ones, and says what was done.
  private func finish(
    _ backup: NewSealVault, _ claims: ProvedSealVaults, _ number: SealVaultNumber,
    _ output: Output
  ) throws(UserMessage) -> ExitReason {
    let earlier = claims.proved.map(\.file)
    let left = earlier.filter { unsafe unlink("\(target)/\($0)") != 0 && errno != ENOENT }
    let deleted = earlier.filter { !left.contains($0) }
    let others = claims.others.filter { $0.version < number.version }.map(\.file)
    try output.result(
      "Wrote \(ShellWord.quoted("\(target)/\(backup.name)"))",
      json: [
        "file": .string(backup.name), "device_id": .string(deviceId),
        "version": .number(Int(backup.version)),
        "deleted": .array(deleted.map { .string($0) }),
        "not_deleted": .array((left + others).map { .string($0) }),
        "not_believed": .array(number.notBelieved.map { .string($0) }),
      ], ofChange: "the backup was written all the same")
    for file in deleted { output.note("Deleted the older \(ShellWord.quoted(file)).") }
    for file in left {
      output.warn("keybackup: the older \(ShellWord.quoted(file)) could not be deleted")
    }
    if !others.isEmpty {
      let claim = others.count == 1 ? "claims to be older stays" : "claim to be older stay"
      output.note(
        "\(counted(others.count, "file")) that \(claim), not opened with this password and KDF "
          + "secret: \(ProvedSealVaults.listed(others))")
    }
    if !number.notBelieved.isEmpty {
      let claim = number.notBelieved.count == 1 ? "claims a version" : "claim versions"
      output.warn(
        "keybackup: \(counted(number.notBelieved.count, "file")) that \(claim) far above "
          + "\(backup.version) did not open, and nothing else shows that there was such a backup: "
          + ProvedSealVaults.listed(number.notBelieved))
      output.warn("hint: anybody can make up a name: look where they come from, and delete them")
    }
    return left.isEmpty ? .success : .partial
  }

  /// The database as it goes into the backup.
  private struct Copied: ~Copyable {
    let bytes: SecretBytes
    let inside: SealVaultDatabase
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

  private func metadata(
    _ version: Int64, _ inside: SealVaultDatabase, _ world: World
  ) throws(UserMessage) -> SealVaultMetadata {
    // The data key inside is wrapped under the nonce that is inside, too.
    let nonce =
      inside.wrappedKey == nil
      ? Randomness.bytes(count: SealVaultKeys.nonceSize) : inside.kdfNonce ?? []
    do throws(ForeignBackupError) {
      return try SealVaultMetadata(
        version: version, timestamp: world.now(), deviceID: deviceId,
        deviceName: deviceName ?? world.hostName, operatingSystem: system, kdfNonce: nonce)
    } catch {
      throw UserMessage(error)
    }
  }

  /// Gives the zip file its name once it is on the disk and was read back; the new password gets its
  /// file just before.
  private func place(
    _ backup: NewSealVault, _ password: borrowing SealVaultPassword, _ run: Run
  ) throws(UserMessage) {
    if let newPassword {
      var line = SecretText()
      line.append(text: password.display)
      line.append("\n")
      try OutputFile.write(line.finish(), to: newPassword, run)
    }
    let path = "\(target)/\(backup.name)"
    let taken: [String]
    do throws(BackupFolderError) {
      var folder = try PrivateFolder(path: target)
      _ = try folder.write(unsafe SecretBytes(copying: backup.bytes.span.bytes), as: [backup.name])
      try folder.place()
      if let failure = folder.failed.first { throw failure.error }
      taken = folder.taken
    } catch {
      // A backup that got its name all the same needs its password.
      if let newPassword, !FileCheck.exists(path) { OutputFile.remove(newPassword) }
      throw UserMessage(error)
    }
    guard taken.isEmpty else {
      if let newPassword { OutputFile.remove(newPassword) }
      throw UserMessage(
        .cannotCreate, "\(ShellWord.quoted(path)) exists and is never overwritten",
        hint: "run it again: it gets the next version")
    }
  }
}
