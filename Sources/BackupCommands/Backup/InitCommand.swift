package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import CommandSupport
internal import Glibc
internal import PRFDevice
internal import SecretMemory
internal import SecurityKeys
internal import SyncFolders
internal import Unlocking

/// `keybackup init`: enrols a security key and starts a backup.
package struct InitCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Enrol a security key and start a backup in a synced folder.",
    discussion: """
      You touch the key three times. One touch makes the credential, two prove that the key \
      gives the same secret each time.
      Nothing is written before that.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var pins: PINOptions
  @OptionGroup var options: FolderOptions
  @OptionGroup var relyingParty: BackupRelyingPartyOption

  @Argument(
    help: ArgumentHelp(
      "The synced folder (default: one of those found here).",
      valueName: "folder"))
  var synced: String?

  @Option(
    help: ArgumentHelp("What to call the key (default: its product name).", valueName: "name"))
  var label: String?

  @Flag(help: "Take no slot on the key. Only the backup folder then has the credential's ID.")
  var nonDiscoverable = false

  @Flag(help: "Start another backup although there is one in the folder above or below.")
  var another = false

  package init() {}

  package mutating func validate() throws {
    if synced != nil, options.folder != nil {
      throw ValidationError("name the folder once")
    }
    if options.namespace != nil {
      throw ValidationError("--namespace goes with a backup that is there, and init starts another")
    }
    if synced == "" { throw ValidationError("the folder has no name") }
    if let label, let problem = KeyLabel.problem(label) { throw ValidationError(problem) }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let path: String
    if let synced {
      path = synced
    } else if let known = try options.configuredPath(world) {
      path = known
    } else {
      path = try FolderChoice(world).ask(common.prompter(world))
    }
    if NearbyBackup.isInside(path) {
      throw UserMessage(
        .cannotCreate, "\(ShellWord.quoted(path)) is inside a backup",
        hint: "to start another backup, choose a folder outside it")
    }
    try FileCheck.requireText(path)
    let madeFolder = try makeFolder(path)
    do throws(UserMessage) {
      let code = try await start(path, world)
      if madeFolder { common.output(world).note("Made the folder \(ShellWord.quoted(path))") }
      return code
    } catch {
      // Gone again, unless something is in it.
      if madeFolder { unsafe rmdir(path) }
      throw error
    }
  }

  private func start(_ path: String, _ world: World) async throws(UserMessage) -> ExitReason {
    let folder = try Backup.folder(at: path, world, common)
    if let unfinished = try unfinished(in: folder) {
      return try await resume(unfinished, folder, path, world)
    }
    if var gone = Backup.missing(nil, in: folder, world.run) {
      gone.hint =
        "wait until the folder is synchronised, and look at the sync program and its deleted "
        + "files\nif it is gone for good, forget it and run init again: keybackup status --accept "
        + "--folder \(ShellWord.quoted(path))"
      throw gone
    }
    try FileCheck.requireWritable(path)
    // The first names the folder that takes no files; the second meets what only making it meets.
    if let state = world.stateFolder { try FileCheck.requireWritable(future: state) }
    try folder.requireMemory()
    let known = KnownSyncFolders.find(world)
    let elsewhere = known.backups()
    let (near, unsearched) = NearbyBackup.near(path)
    try confirmAnother(than: near, or: unsearched + elsewhere.unsearched, world)
    let place = PlaceReport(path, known: known)
    for warning in place.warnings { common.output(world).warn("warning: \(warning)") }
    for (other, syncFolder) in elsewhere.found where !near.contains(other) {
      common.output(world).warn(
        "warning: a backup is in \(ShellWord.quoted(other)) (\(syncFolder.title)) already; to get "
          + "its wallets back: \(Self.restoring(other))")
    }

    let finder = try AuthenticatorFinder(common, device, pins, world)
    let key = try await finder.chosenKey("to enrol")
    try await key.offerPIN()
    try await key.requirePRF()
    let enrolment = CredentialEnrolment(
      key: key, rpID: rpID, label: label, isDiscoverable: !nonDiscoverable)
    let made = try await enrolment.run { proven throws(UserMessage) in
      // First: what a crash leaves of it goes with the next init.
      let hasReadme = folder.leaveReadme()
      do throws(BackupFolderError) {
        let open = try folder.create(
          proven.enrolment, prfOutput: proven.first, confirmedBy: proven.second)
        return (id: open.id, keyID: proven.enrolment.keyID, credential: proven.credentialID)
      } catch {
        if hasReadme { folder.removeReadme() }
        throw UserMessage(error)
      }
    } isRecorded: {
      isRecorded($0, folder)
    }
    remember(path, world)
    return try report(made.id, made.keyID, made.credential.bytes, path, place, world)
  }

  /// Whether the folder names the credential, or cannot be asked: then it must
  /// not be called unused, for it may be what opens the backup.
  private func isRecorded(_ credential: CredentialID, _ folder: BackupFolder) -> Bool {
    guard let ids = try? folder.namespaces() else { return true }
    return ids.contains { (try? folder.namespace($0))?.mayName(credential) ?? true }
  }

  private var rpID: String { relyingParty.rpId ?? BackupRelyingPartyOption.standard }

  // MARK: The folder

  /// Makes the folder itself when only it is missing.
  ///
  /// Its parent must be there: a missing parent is a typing error or a disk
  /// that is not mounted.
  private func makeFolder(_ path: String) throws(UserMessage) -> Bool {
    if FileCheck.exists(path) { return false }
    if let advice = FileCheck.unexpanded(path) {
      throw UserMessage(
        .noInput, "the folder \(ShellWord.quoted(path)) is not there", hint: advice)
    }
    guard unsafe mkdir(path, 0o700) == 0 else {
      let reason = errno
      throw UserMessage(
        reason == ENOENT ? .noInput : .cannotCreate,
        "the folder \(ShellWord.quoted(path)) is not there and cannot be made: "
          + systemText(reason),
        hint: "is the synced folder mounted?")
    }
    return true
  }

  /// A namespace that this computer began earlier and did not finish.
  ///
  /// - Throws: `namespace-exists` for any other one.
  private func unfinished(in folder: BackupFolder) throws(UserMessage) -> Namespace? {
    do throws(BackupFolderError) {
      let ids = try folder.namespaces()
      for id in ids {
        let namespace = try folder.namespace(id)
        if try namespace.isUnfinishedHere { return namespace }
      }
      guard ids.isEmpty else { throw .namespaceExists(ids) }
      return nil
    } catch .namespaceExists(let ids) {
      var message = UserMessage(BackupFolderError.namespaceExists(ids))
      message.hint =
        "to get its wallets back: \(Self.restoring(folder.path))\n"
        + "to look at it: keybackup status --folder \(ShellWord.quoted(folder.path))\n"
        + "to start another backup, choose another folder"
      throw message
    } catch {
      throw UserMessage(error)
    }
  }

  /// Asks whether another backup is wanted where one is in a folder above or below.
  ///
  /// It is nearly always the one that is meant. Asks too where a folder could not be searched.
  ///
  /// - Throws: `namespace-exists` when nobody can be asked, `denied` when a person says no.
  private func confirmAnother(
    than near: [String], or unsearched: [UnsearchedFolder], _ world: World
  ) throws(UserMessage) {
    if another { return }
    let (found, restore): (String, String)
    if let first = near.first {
      found = "a backup is in \(ShellWord.quoted(first)) already"
      restore = "to get its wallets back: \(Self.restoring(first))"
    } else if let first = unsearched.first {
      found = "a backup may be here already; \(first.words)"
      restore = "if it is there, name its folder: keybackup restore --folder PATH"
    } else {
      return
    }
    guard common.prompter(world).canAsk else {
      throw UserMessage(
        .cannotCreate, word: "namespace-exists", found,
        hint: restore + "\nto start another one all the same, add --another")
    }
    common.output(world).warn("warning: \(found)")
    guard try common.prompter(world).confirm("Start another, empty backup beside it?") else {
      throw UserMessage(.denied, "not confirmed; nothing was made", hint: restore)
    }
  }

  /// The command that restores a backup.
  private static func restoring(_ path: String) -> String {
    "keybackup restore --folder \(ShellWord.quoted(path)) --out RESTORED --names"
  }

  private func resume(
    _ namespace: Namespace, _ folder: BackupFolder, _ path: String, _ world: World
  ) async throws(UserMessage) -> ExitReason {
    common.output(world).note("An earlier init was interrupted here. Finishing it.")
    let backup = Backup(folder: folder, namespace: namespace)
    let finder = try AuthenticatorFinder(common, device, pins, world)
    let offers = UnlockOffers(try backup.scan().keySlots, backup.rule(rpID))
    let questions = offers.questions
    guard offers.withheld.isEmpty || !questions.isEmpty else {
      throw .relyingPartyNotAllowed(offers.withheld, "the interrupted init is not finished")
    }
    let (keyID, credential) = try await finder.ask(questions) { answer throws(UserMessage) in
      for (slot, question) in offers.all where question == answer.question {
        guard let keyID = slot.keyID else { continue }
        do throws(BackupFolderError) {
          let secret = answer.secret()
          _ = try namespace.resumeCreation(slot, prfOutput: secret)
          return (keyID, answer.evaluation.credentialID)
        } catch .wrongKey {
          continue
        } catch {
          throw UserMessage(error)
        }
      }
      return nil
    }
    remember(path, world)
    let place = PlaceReport(path, known: KnownSyncFolders.find(world))
    return try report(namespace.id, keyID, credential.bytes, path, place, world)
  }

  /// Makes the folder this computer's default, unless another one is.
  ///
  /// The backup is made by now: that this fails is worth a warning, no more.
  private func remember(_ path: String, _ world: World) {
    do throws(UserMessage) {
      let configuration = try Configuration.load(world)
      guard let absolute = FileCheck.absolute(path) else { return }
      let setting = try SettingsFile.load(world)[.folder]
      let written = setting.map { FileCheck.absolute($0.value) ?? $0.value }
      if let other = written ?? configuration.folder, other != absolute {
        guard world.variable("KEYBACKUP_FOLDER") == nil else { return }
        common.output(world).warn(
          "warning: this computer still uses \(ShellWord.quoted(other)); for this backup "
            + (setting.map { "change \($0.place)" }
              ?? "give --folder \(ShellWord.quoted(absolute)) each time, or set KEYBACKUP_FOLDER"))
        world.run.folder = absolute
        return
      }
      // keybackup.conf is a person's, and stays as it is.
      guard configuration.folder == nil else { return }
      try Configuration.remember(folder: absolute, world)
      world.run.folder = nil
    } catch {
      common.output(world).warn("keybackup: \(error.message)")
      common.output(world).warn(
        "hint: name the folder with --folder or KEYBACKUP_FOLDER from now on")
    }
  }

  private func report(
    _ id: NamespaceID, _ keyID: KeyID, _ credential: [UInt8], _ path: String, _ place: PlaceReport,
    _ world: World
  ) throws(UserMessage) -> ExitReason {
    let output = common.output(world)
    let credentialID = CredentialIDArgument.encode(credential)
    try output.result(
      "Backup \(id.hex) is ready in \(ShellWord.quoted(path))",
      json: [
        "namespace_id": .string(id.hex), "key_id": .string(keyID.hex),
        "credential_id": .string(credentialID), "rp_id": .string(rpID),
        "folder": .string(path), "engine": .optional(place.folder?.engine.rawValue),
        "warnings": .array(place.warnings.map(JSONOutput.string)),
      ], ofChange: "the backup \(id.hex) was made all the same")
    if let note = UserMessage.readableBy(rpID) { output.note(note) }
    if common.json { return .success }
    if let folder = place.folder {
      output.note("Saved on this computer. \(folder.title) still has to upload it.")
    } else {
      output.note("Saved on this computer, and nowhere else yet.")
    }
    output.note("This key is the only way in. If you lose it, nobody can open the backup.")
    output.note("Next:")
    for command in [
      "keybackup wallet add --name NAME --network bitcoin", "keybackup key add",
      "keybackup recovery-kit create --out kit.html",
    ] {
      output.note("  " + command)
    }
    output.note("Keep another copy of your wallets until you have tested a second way in.")
    return .success
  }
}
