internal import BackupFolder
internal import CSPP
internal import Glibc
internal import PRFDevice
internal import SecretMemory

/// The backup a command works on: its folder and its namespace, before any
/// key was touched.
struct Backup: Sendable {
  let folder: BackupFolder
  let namespace: Namespace
  /// How long to wait for what is not synchronised; nil: not at all.
  var wait: SyncWait?
  /// Whether to go on after that time with what is here.
  var goesOn = true
}

extension Backup {
  /// Finds the backup that the options, the environment or the configuration
  /// name, else the one in this computer's sync folders; see
  /// ``FolderOptions/path(_:_:)``.
  ///
  /// - Throws: `no-input` when there is none, `ambiguous` when there are
  ///   several and none is named, `incomplete` when it is not all here.
  init(
    at path: String, _ options: FolderOptions, _ world: World, _ common: CommonOptions
  ) throws(UserMessage) {
    folder = try Self.folder(at: path, world, common)
    let id = try options.namespaceID()
    do throws(BackupFolderError) {
      namespace = try folder.namespace(id)
    } catch {
      throw Self.missing(id, in: folder) ?? Self.others(than: id, in: folder) ?? UserMessage(error)
    }
  }

  /// What to say instead of "no backup" where the folder holds other ones.
  private static func others(than id: NamespaceID?, in folder: BackupFolder) -> UserMessage? {
    guard let id, let present = try? folder.namespaces(), !present.isEmpty, !present.contains(id)
    else { return nil }
    return UserMessage(
      .noInput, "\(folder.path) holds another backup than \(id.hex)",
      hint: "if that one should be there, wait until the folder is synchronised; here is: "
        + present.map(\.hex).joined(separator: ", "))
  }

  /// What to say instead of "no backup" where this computer knew one.
  private static func missing(_ id: NamespaceID?, in folder: BackupFolder) -> UserMessage? {
    guard let present = try? folder.namespaces(),
      let gone = try? folder.vanishedNamespaces(), !gone.isEmpty,
      present.isEmpty || gone.contains(where: { $0 == id })
    else { return nil }
    return UserMessage(
      .rollback,
      "the backup that this computer knew is gone from \(folder.path): "
        + gone.map(\.hex).joined(separator: ", "),
      hint: "wait until the folder is synchronised; do not start another backup: check the sync "
        + "program and its deleted files first; if it is gone for good, keybackup status --accept "
        + "forgets it")
  }

  /// Opens a folder with this computer's settings.
  ///
  /// - Parameters:
  ///   - path: the folder.
  ///   - world: where this computer's memory is.
  ///   - common: who is told what is waited for; nil: nobody.
  /// - Returns: the folder, open.
  /// - Throws: `no-input` when there is none; `config` without a home.
  static func folder(
    at path: String, _ world: World, _ common: CommonOptions? = nil
  ) throws(UserMessage) -> BackupFolder {
    guard let state = world.stateFolder else {
      throw UserMessage(
        .config, "HOME is not set, so there is no place to remember what was seen",
        hint: "set HOME or XDG_STATE_HOME")
    }
    let now = world.now
    var settings = BackupFolder.Settings(
      stateFolder: state, writerLabel: hostName(), clock: { UInt64(max(0, now())) })
    settings.watch.isInterrupted = { Interruption.received }
    if let common {
      settings.watch.waits = { path in
        let shown = PrintableText.clean(path, limit: 300)
        common.prompter.tell("Waiting for \(shown) to be downloaded.")
        common.events.send(.sync(files: 1, path: path, secondsLeft: nil))
      }
    }
    do throws(BackupFolderError) {
      return try BackupFolder.open(path: path, settings: settings)
    } catch {
      throw UserMessage(error)
    }
  }

  private static func hostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Reads the ways in.
  func scan() throws(UserMessage) -> NamespaceScan {
    do throws(BackupFolderError) {
      return try namespace.scan()
    } catch {
      throw UserMessage(error)
    }
  }

  /// Opens the backup with a security key: one PIN, one touch.
  ///
  /// - Parameters:
  ///   - finder: where the keys are.
  ///   - rpID: for envelopes of other programs, which name no relying party.
  ///   - purpose: what the command does with it.
  /// - Returns: the backup, open.
  /// - Throws: `wrong-key`, `data-invalid` when the right key answers and no
  ///   file opens, and what device and folder throw.
  func unlock(
    _ finder: KeyFinder, rpID: String?, for purpose: OpenNamespace.Purpose = .reading
  ) async throws(UserMessage) -> OpenNamespace {
    var damaged: [FileFinding] = []
    let opened = try await unlock(finder, rpID: rpID, for: purpose, damaged: &damaged)
    for finding in damaged { finder.output.note("keybackup: \(finding.text)") }
    return opened
  }

  /// Opens the backup and checks every file of the way in that was used:
  /// `damaged` receives those that do not open; see ``unlock(_:rpID:)``.
  func unlock(
    _ finder: KeyFinder, rpID: String?, for purpose: OpenNamespace.Purpose = .reading,
    damaged: inout [FileFinding]
  ) async throws(UserMessage) -> OpenNamespace {
    let master = try await masterKey(finder, rpID: rpID, damaged: &damaged)
    let opened: OpenNamespace
    do throws(BackupFolderError) {
      // Waiting looks at what was read of the logs.
      opened = try namespace.open(master, for: wait == nil ? purpose : .reading)
    } catch {
      throw UserMessage(error)
    }
    return try await wait(for: opened)
  }

  /// Unwraps the master key; see ``unlock(_:rpID:)``.
  func masterKey(
    _ finder: KeyFinder, rpID: String?, damaged: inout [FileFinding]
  ) async throws(UserMessage) -> MasterKey {
    let scan = try scan()
    for finding in scan.findings {
      finder.output.note("keybackup: \(finding.text)")
    }
    if let gone = try? folder.vanishedNamespaces(), !gone.isEmpty {
      finder.output.warn(
        "keybackup: another backup that this computer knew is gone from \(folder.path): "
          + gone.map(\.hex).joined(separator: ", "))
    }
    let offers = scan.waysIn.compactMap { way in
      UnlockQuestion(way, rpID: rpID ?? BackupRelyingPartyOption.standard).map { (way, $0) }
    }
    guard !offers.isEmpty else {
      throw UserMessage(
        .dataInvalid, "no way into this backup is of a kind that this version knows",
        hint: "a newer keybackup may know it")
    }
    let anonymous = offers.contains { $0.0.kind == .csppEnvelope }
    do throws(UserMessage) {
      return try await finder.ask(unique(offers.map(\.1)), for: WantedKey(scan)) { answer in
        open(answer, offers, &damaged)
      }
    } catch  where error.code == .wrongKey && anonymous && rpID == nil {
      throw UserMessage(
        .wrongKey, error.message,
        hint: "the backup was made by another program: name its relying party, "
          + "such as --rp-id covebitcoinwallet.com")
    }
  }

  private func open(
    _ answer: UnlockAnswer, _ offers: [(WayIn, UnlockQuestion)], _ damaged: inout [FileFinding]
  ) -> MasterKey? {
    for (way, question) in offers where question == answer.question {
      let secret = answer.evaluation.first()
      guard let key = try? way.unwrap(prfOutput: secret) else { continue }
      for file in way.damagedFiles(prfOutput: secret) {
        damaged.append(
          FileFinding(
            file: file, recordID: nil, state: .unreadable,
            reason: "does not open with its own security key"))
      }
      return key
    }
    return nil
  }

  private func unique(_ questions: [UnlockQuestion]) -> [UnlockQuestion] {
    var seen: Set<UnlockQuestion> = []
    return questions.filter { seen.insert($0).inserted }
  }
}

extension WantedKey {
  /// The keys that open the backup.
  init(_ scan: NamespaceScan) {
    for way in scan.waysIn {
      switch way.kind {
      case .securityKey:
        if let id = way.credentialID { names[CredentialID(id)] = way.label }
      case .csppEnvelope: break
      case .unknown(let kind):
        let words = kind.replacing("_", with: " ")
        otherWays.append(way.label.isEmpty ? words : "\(words) \"\(way.label)\"")
      }
    }
  }
}

extension UnlockQuestion {
  /// What to ask a security key for this way in; nil for other kinds.
  ///
  /// - Parameters:
  ///   - way: from the folder.
  ///   - rpID: for a way that names no relying party.
  init?(_ way: WayIn, rpID: String) {
    switch way.kind {
    case .securityKey:
      // No key made what breaks these bounds, and asking would fail for all.
      guard let own = way.rpID, !own.utf8.contains(0),
        (1...PRFRequest.maximumRelyingPartyIDBytes).contains(own.utf8.count),
        let credential = way.credentialID,
        (1...CredentialID.maximumSize).contains(credential.count)
      else { return nil }
      self.init(rpID: own, credentialID: CredentialID(credential), salt: way.prfSalt)
    case .csppEnvelope:
      self.init(rpID: rpID, credentialID: nil, salt: way.prfSalt)
    case .unknown:
      return nil
    }
  }
}

extension FolderOptions {
  /// The namespace that `--namespace` names.
  ///
  /// - Throws: `usage` when it is no namespace ID.
  func namespaceID() throws(UserMessage) -> NamespaceID? {
    guard let namespace else { return nil }
    guard let id = NamespaceID(hex: namespace) else {
      throw UserMessage(.usage, "a namespace ID has 32 lower-case hex digits")
    }
    return id
  }
}
