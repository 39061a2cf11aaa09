package import ArgumentParser
internal import BackupFolder
package import CommandKit
internal import CommandSupport
internal import FileCommands
internal import ForeignBackups
internal import SecretMemory
internal import SyncFolders
internal import Unlocking

/// `keybackup foreign sealvault open`: the database and its data key.
package struct SealVaultOpenCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Decrypt a SealVault backup: the database and its data key.",
    discussion: """
      Each gets a new file that only you may read. The data key decrypts the wallets' keys in the \
      database.
      With --security-key and --add, --pin-fd gives a line for each of the two openings. \
      --factor-device then names the key of the KDF secret, and --device the key of the backup.
      """)

  @OptionGroup var unlock: UnlockOptions
  @OptionGroup var secrets: SealVaultSecretOptions
  @OptionGroup var addition: ForeignAdditionOption

  @Argument(help: ArgumentHelp("The zip file; - for standard input.", valueName: "zip"))
  var zip: String

  @Option(help: ArgumentHelp("The folder to write into.", valueName: "folder"))
  var out: String?

  @Flag(help: "Take a database that says it is another version.")
  var anyVersion = false

  @OptionGroup var synced: SyncedFolderOption

  package init() {}

  package mutating func validate() throws {
    if out == "" || out == "-" { throw ValidationError("--out names a folder") }
    guard out != nil || addition.add else {
      throw ValidationError("name a folder with --out, or put it into the backup with --add")
    }
    try unlock.refuseUnused(opens: addition.add, usesKey: secrets.securityKey)
    try unlock.requireOtherInput(than: secrets.input, zip)
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    try secrets.requirePrivate(synced, besides: unlock.folder.folder, world)
    try synced.requirePrivate(out, besides: unlock.folder.folder, world)
    let opened = try await OpenedSealVault.open(
      zip, secrets, unlock, anyVersion: anyVersion,
      furtherPINs: addition.add ? ForeignAddition.neededPINs(unlock, world) : 0, world)
    var dataKey = SecretText()
    dataKey.append(opened.dataKey.copy(), as: .hex)
    let keyText = dataKey.finish()
    let hasKey = opened.dataKey.count > 0

    let output = unlock.output(world)
    var json = opened.json
    var written: [String] = []
    if let out {
      let name = "\(opened.metadata.deviceID)_\(opened.metadata.version)"
      written = try write(
        opened.database, hasKey ? keyText.copy() : SecretBytes(zeroed: 0), name, into: out,
        world.run)
      json["folder"] = .string(out)
      json["written"] = .array(written.map { .string($0) })
    }
    var code = opened.exitCode
    if addition.add {
      var added = ForeignAddition()
      // An older one takes nobody's place.
      let name =
        "sealvault-\(opened.metadata.deviceID)"
        + (opened.freshness == .newest ? "" : "_\(opened.metadata.version)")
      try added.append(opened.database.copy(), name: name + ".sqlite3")
      if hasKey { try added.append(keyText.copy(), name: name + ".data-key") }
      let result = try await added.add(unlock, writtenTo: out, world)
      json["added"] = result.json
      if code == .success { code = result.exitCode }
      if !unlock.common.json { try result.show(output) }
    }
    let change = "what was decrypted was written all the same"
    if unlock.common.json {
      try output.result(json: json, ofChange: change)
    } else {
      for file in written {
        try output.result(
          "Wrote \(ShellWord.quoted("\(out ?? "")/\(file)"))", json: [:], ofChange: change)
      }
      if out != nil { output.note(ForeignAddition.plainNote) }
    }
    opened.warn(output)
    return code
  }

  /// Writes the files, durable and read back.
  ///
  /// - Returns: their names.
  /// - Throws: `cannot-create` where a name is taken; that file stays as it is.
  private func write(
    _ database: borrowing SecretBytes, _ dataKey: consuming SecretBytes, _ name: String,
    into folder: String, _ run: Run
  ) throws(UserMessage) -> [String] {
    let files = [name + ".sqlite3"] + (dataKey.count > 0 ? [name + ".data-key"] : [])
    for file in files { try OutputFile.requireFree("\(folder)/\(file)") }
    // Makes the folder, for the user alone, and removes it again where nothing gets into it.
    let tree = try RestoredTree(path: folder, run)
    defer { withExtendedLifetime(tree) {} }
    let taken: [String]
    do throws(BackupFolderError) {
      var place = try PrivateFolder(path: folder)
      _ = try place.write(database, as: [files[0]])
      if dataKey.count > 0 { _ = try place.write(dataKey, as: [files[1]]) }
      try place.place()
      if let failure = place.failed.first { throw failure.error }
      taken = place.taken
    } catch {
      throw UserMessage(error)
    }
    if let name = taken.first {
      throw UserMessage(
        .cannotCreate, "\(ShellWord.quoted("\(folder)/\(name)")) exists and is never overwritten",
        hint: "choose another folder for --out")
    }
    for file in files { KeptPermissions.check("\(folder)/\(file)", at: folder, run) }
    return files
  }
}
