internal import CSPP
public import SecretMemory

extension BackupFolder {
  /// Makes a master key and writes a namespace with one key slot.
  ///
  /// Order: the slot's file, the CSPP envelope, the operation, this computer's
  /// memory. A failure before the operation is there removes what was written:
  /// nothing has been sealed under that master key yet.
  ///
  /// - Parameters:
  ///   - enrolment: the credential.
  ///   - prfOutput: 32 bytes, its PRF output for the enrolment's salt.
  ///   - confirmation: the output of a second evaluation.
  /// - Returns: the namespace, open.
  /// - Throws: ``BackupFolderError/namespaceExists(_:)`` when there is one,
  ///   finished or not (see ``Namespace/isUnfinishedHere``);
  ///   ``BackupFolderError/evaluationsDiffer``; ``BackupFolderError/diskFull(path:)``
  ///   and other system errors.
  public func create(
    _ enrolment: Enrolment, prfOutput: borrowing SecretBytes,
    confirmedBy confirmation: borrowing SecretBytes
  ) throws(BackupFolderError) -> OpenNamespace {
    guard prfOutput.isEqual(to: confirmation) else { throw .evaluationsDiffer }
    let run = try WritingRun.begin(
      StateFolder(path: settings.stateFolder, folder: root, make: true))
    let present = try namespaces()
    if !present.isEmpty { throw .namespaceExists(present) }
    try removeShells(run: run)
    let masterKey = MasterKey.random()
    let id = masterKey.namespaceID
    // Remembered before anything of it is there: whatever a crash leaves is
    // known to be this computer's.
    var localState = LocalState()
    localState.creating = true
    try run.state.save(localState, of: id)
    let namespace: Namespace
    do {
      namespace = try makeNamespace(id)
    } catch {
      try? run.state.forget(id)
      throw error
    }
    do {
      let file = try namespace.write(enrolment, masterKey, secret: prfOutput, tag: run.tag)
      let slot = KeySlot(file.wrapper, file: FolderLayout.keyFile(enrolment.keyID))
      return try namespace.finish(
        slot, file: file.bytes, masterKey: masterKey, prfOutput: prfOutput, run: run)
    } catch {
      if namespace.removeUnfinished(enrolment.keyID), removeNamespace(id) {
        try? run.state.forget(id)
      }
      throw error
    }
  }

  /// Removes what an earlier creation here left that came to nothing: folders,
  /// and files that were never placed.
  private func removeShells(run: borrowing WritingRun) throws(BackupFolderError) {
    guard let all = try root.readableSubdirectory(FolderLayout.namespaces) else { return }
    for id in try run.state.namespaces() where try run.state.localState(of: id).creating {
      if let directory = try all.readableSubdirectory(id.hex) {
        let shell = Namespace(id: id, directory: directory, settings: settings, folder: root)
        try shell.removeStaleTemporaryFiles(tag: run.tag, areInLogs: true)
        shell.removeEmptyFolders()
        guard all.removeEmptySubdirectory(id.hex) else { continue }
      }
      try run.state.forget(id)
    }
  }

  private func makeNamespace(_ id: NamespaceID) throws(BackupFolderError) -> Namespace {
    do {
      let directory = try root.makeSubdirectory(FolderLayout.namespaces)
        .makeSubdirectory(id.hex)
      return Namespace(id: id, directory: directory, settings: settings, folder: root)
    } catch {
      removeNamespace(id)
      throw error
    }
  }

  /// Removes a namespace's folder, and that of all namespaces, if empty.
  ///
  /// - Returns: whether it is gone.
  @discardableResult
  private func removeNamespace(_ id: NamespaceID) -> Bool {
    var isGone = true
    if let all = try? root.subdirectory(FolderLayout.namespaces) {
      isGone = all.removeEmptySubdirectory(id.hex) || !all.holds(id.hex)
    }
    root.removeEmptySubdirectory(FolderLayout.namespaces)
    return isGone
  }
}

extension Namespace {
  /// Whether this computer began to make this namespace and did not finish, or
  /// did not live to know that it had.
  ///
  /// ``resumeCreation(_:prfOutput:)`` then finishes it.
  public var isUnfinishedHere: Bool {
    get throws(BackupFolderError) {
      guard let state = try? state(make: false), try state.localState(of: id).creating else {
        return false
      }
      guard let logs = try logFolder() else { return true }
      return try LogListing.count(logs) <= 1
    }
  }

  /// Finishes a namespace that this computer began and did not finish.
  ///
  /// - Parameters:
  ///   - slot: its key slot, from ``scan()``.
  ///   - prfOutput: 32 bytes, the slot's PRF output.
  /// - Returns: the namespace, open.
  /// - Throws: ``BackupFolderError/wrongKey``; system errors.
  public func resumeCreation(
    _ slot: KeySlot, prfOutput: borrowing SecretBytes
  ) throws(BackupFolderError) -> OpenNamespace {
    let masterKey = try slot.unwrap(secret: prfOutput)
    let run = try WritingRun.begin(state(make: true))
    guard let key = slot.keyID, let file = try keyFileBytes(of: key) else {
      throw .incomplete(path: directory.path)
    }
    return try finish(slot, file: file, masterKey: masterKey, prfOutput: prfOutput, run: run)
  }

  /// Writes the file of a key slot and reads it back with the slot's secret.
  func write(
    _ enrolment: Enrolment, _ masterKey: borrowing MasterKey,
    secret: borrowing SecretBytes, tag: String
  ) throws(BackupFolderError) -> (bytes: [UInt8], wrapper: KeyWrapper) {
    let header = KeyHeader(
      namespaceID: id, keyID: enrolment.keyID, kind: enrolment.kind,
      label: enrolment.label, createdAt: settings.clock(), replaces: enrolment.replaces)
    let bytes: [UInt8]
    let wrapper: KeyWrapper
    do {
      bytes = try KeyWrapper.seal(masterKey, secret: secret, header: header)
      wrapper = try KeyWrapper(parsing: bytes.span, at: id)
    } catch {
      throw .internalError("wrapping the master key: \(error)")
    }
    // Before it is there: it is asked again only because this computer enrolled it.
    try remember(enrolmentOf: enrolment.kind)
    try writeKeyFile(bytes, of: enrolment.keyID, tag: tag) { back in
      guard let read = try? KeyWrapper(parsing: back, at: id) else { return false }
      return (try? read.open(secret: secret)) != nil
    }
    return (bytes, wrapper)
  }

  /// Writes the envelope, the first operation and the memory, as far as they
  /// are not there.
  fileprivate func finish(
    _ slot: KeySlot, file: [UInt8], masterKey: consuming MasterKey,
    prfOutput: borrowing SecretBytes, run: borrowing WritingRun
  ) throws(BackupFolderError) -> OpenNamespace {
    guard let key = slot.keyID, let rpID = slot.rpID, let credentialID = slot.credentialID else {
      throw .internalError("a way in without a credential")
    }
    let envelope = try sealEnvelope(
      masterKey, for: .init(keyID: key, rpID: rpID, credentialID: credentialID),
      prfSalt: slot.prfSalt, secret: prfOutput)
    let written = try writeEnvelope(envelope, secret: prfOutput, tag: run.tag)
    let present = written ? envelope : try envelopeBytes() ?? envelope
    _ = try directory.makeSubdirectory(FolderLayout.walletFolder)
    var open = try OpenNamespace.open(self, masterKey: masterKey, by: key, isReading: false)
    if open.log.index.nodes.isEmpty {
      try open.logKeySlot(file, key, envelope: present, run: run)
    } else {
      // An earlier run wrote it, and did not live to remember it.
      let names = open.log.index.names
      syncLogs(of: Set(names.map(\.writer)))
      open.localState = try run.state.localState(of: id)
      open.localState.creating = false
      open.localState.operations.formUnion(names)
      try run.state.save(open.localState, of: id)
      _ = try open.repair(run: run)
    }
    open.rememberKeySlots(isLocked: true)
    return open
  }

  /// Removes what an unfinished creation wrote; nothing was sealed under its
  /// master key.
  ///
  /// - Returns: `false` when its operation is there: then it stays.
  fileprivate func removeUnfinished(_ key: KeyID) -> Bool {
    if let logs = try? logFolder() {
      guard let count = try? LogListing.count(logs), count == 0 else { return false }
    }
    // The key slot last: what has one can be resumed.
    if let envelopes = try? directory.subdirectory(FolderLayout.masterKeyFolder) {
      try? envelopes.unlink(FolderLayout.masterKeyFile)
    }
    if let keys = try? keyFolder() { try? keys.unlink(FolderLayout.keyFile(key)) }
    removeEmptyFolders()
    return true
  }

  /// Removes the folders of a namespace that holds no file.
  func removeEmptyFolders() {
    if let own = try? directory.subdirectory(FolderLayout.ownFolder) {
      if let logs = try? logFolder(), let names = try? logs.names() {
        for name in names { logs.removeEmptySubdirectory(name) }
      }
      own.removeEmptySubdirectory(FolderLayout.logFolder)
      own.removeEmptySubdirectory(FolderLayout.keyFolder)
    }
    for name in [FolderLayout.ownFolder, FolderLayout.masterKeyFolder, FolderLayout.walletFolder] {
      directory.removeEmptySubdirectory(name)
    }
  }

  func keyFileBytes(of key: KeyID) throws(BackupFolderError) -> [UInt8]? {
    guard let folder = try keyFolder() else { return nil }
    return try bytes(FolderLayout.keyFile(key), in: folder)
  }

  func envelopeBytes() throws(BackupFolderError) -> [UInt8]? {
    guard let folder = try directory.subdirectory(FolderLayout.masterKeyFolder) else { return nil }
    return try bytes(FolderLayout.masterKeyFile, in: folder)
  }

  private func bytes(
    _ name: String, in folder: Directory
  ) throws(BackupFolderError) -> [UInt8]? {
    var buffer = FileBuffer()
    do {
      try buffer.read(name, in: folder, limit: settings.limits.wrapper)
    } catch .absent {
      return nil
    } catch {
      throw error.error("\(folder.path)/\(name)")
    }
    return buffer.withBytes { bytes in
      unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
  }
}

extension OpenNamespace {
  /// Logs a key slot's file, and the envelope that was written with it.
  mutating func logKeySlot(
    _ file: [UInt8], _ key: KeyID, envelope: [UInt8]?, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    let now = namespace.settings.clock()
    let staged = try stage(at: now, run: run) { operation in
      operation.keyAdd(key, file: file.span)
      if let envelope { operation.envelope(file: envelope.span) }
    }
    try publish(staged, run: run)
    log.include(keyFile: file, of: key)
    if let envelope { log.include(envelope: envelope, at: now) }
  }
}
