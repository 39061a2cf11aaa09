internal import CSPP
public import SecretMemory

extension BackupFolder {
  /// Creates a master key and writes a namespace with one key slot.
  ///
  /// The order is: the slot's file, the CSPP envelope, the operation, the local state. A failure
  /// before the operation is published removes the written files: nothing has been sealed under
  /// that master key yet.
  ///
  /// - Parameters:
  ///   - enrolment: describes the credential.
  ///   - prfOutput: its PRF output for the enrolment's salt, 32 bytes.
  ///   - confirmation: the output of a second evaluation.
  /// - Returns: the open namespace.
  /// - Throws: ``BackupFolderError/namespaceExists(_:)`` when there is one, finished or not (see
  ///   ``Namespace/isUnfinishedHere``); ``BackupFolderError/evaluationsDiffer``;
  ///   ``BackupFolderError/guardsAlone``; ``BackupFolderError/diskFull(path:)`` and other system errors.
  public func create(
    _ enrolment: Enrolment, prfOutput: borrowing SecretBytes,
    confirmedBy confirmation: borrowing SecretBytes
  ) throws(BackupFolderError) -> OpenNamespace {
    guard prfOutput.isEqual(to: confirmation) else { throw .evaluationsDiffer }
    if enrolment.kind.isGuarded { throw .guardsAlone }
    let run = try WritingRun.begin(
      StateFolder(path: settings.stateFolder, folder: root, make: true))
    let present = try namespaces()
    if !present.isEmpty { throw .namespaceExists(present) }
    try removeShells(run: run)
    let masterKey = MasterKey.random()
    let id = masterKey.namespaceID
    // Remembered before anything is written, so that whatever a crash leaves is known to be this
    // computer's.
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

  /// Removes the remains of a failed creation on this computer: folders, and files that were never
  /// placed.
  private func removeShells(run: borrowing WritingRun) throws(BackupFolderError) {
    guard let all = try root.readableSubdirectory(FolderLayout.namespaces) else { return }
    for id in try run.state.namespaces() where try run.state.localState(of: id).creating {
      if let directory = try all.readableSubdirectory(id.hex) {
        let shell = Namespace(id: id, directory: directory, settings: settings, folder: root)
        try shell.removeStaleTemporaryFiles(
          tag: run.tag, areInLogs: true, logged: LoggedKeySlots())
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

  /// Removes a namespace's folder, and the folder of all namespaces, if they are empty.
  ///
  /// - Returns: whether the namespace's folder is gone.
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
  /// Whether this computer began to create this namespace and did not finish, or ended before it
  /// could record that.
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

  /// Finishes a namespace whose creation this computer began.
  ///
  /// - Parameters:
  ///   - slot: its key slot, from ``scan()``.
  ///   - prfOutput: the slot's PRF output, 32 bytes.
  /// - Returns: the open namespace.
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
  ///
  /// A run that ended before its operation had a name left a file of the same slot. That one is
  /// used, so that the log names the bytes that are in the folder.
  ///
  /// - Returns: the file that is in the folder.
  func write(
    _ enrolment: Enrolment, _ masterKey: borrowing MasterKey,
    secret: borrowing SecretBytes, tag: String
  ) throws(BackupFolderError) -> (bytes: [UInt8], wrapper: KeyWrapper) {
    // This must precede the file: the credential is only requested because this computer enrolled
    // it.
    try remember(enrolmentOf: enrolment.kind)
    if let left = try keyFileBytes(of: enrolment.keyID),
      let wrapper = try? KeyWrapper(parsing: left.span, at: id),
      wrapper.header.describes(enrolment), (try? wrapper.open(secret: secret)) != nil
    {
      try makeKeyFolder().sync()
      return (left, wrapper)
    }
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
    try writeKeyFile(bytes, of: enrolment.keyID, tag: tag) { back in
      guard let read = try? KeyWrapper(parsing: back, at: id) else { return false }
      return (try? read.open(secret: secret)) != nil
    }
    return (bytes, wrapper)
  }

  /// Writes the envelope, the first operation and the local state, where they are missing.
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
      // An earlier run wrote it and ended before it could remember it.
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

  /// Removes the files of an unfinished creation; nothing was sealed under its master key.
  ///
  /// - Returns: `false` when its operation is here; the namespace then stays.
  fileprivate func removeUnfinished(_ key: KeyID) -> Bool {
    if let logs = try? logFolder() {
      guard let count = try? LogListing.count(logs), count == 0 else { return false }
    }
    // The key slot goes last: a creation that has one can be resumed.
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
      for name in [
        FolderLayout.keyFolder, FolderLayout.sealedFolder, FolderLayout.objectFolder,
      ] { own.removeEmptySubdirectory(name) }
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

extension KeyHeader {
  /// Whether it is that of an enrolment, of whatever time.
  fileprivate func describes(_ enrolment: Enrolment) -> Bool {
    keyID == enrolment.keyID && kind == enrolment.kind && label == enrolment.label
      && replaces == enrolment.replaces
  }
}
