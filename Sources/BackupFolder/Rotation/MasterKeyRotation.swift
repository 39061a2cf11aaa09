// This folder is for rotating a backup's master key, and for finding the namespace in charge
// afterwards. No other room names a type of this one. A folder with one namespace needs only
// follow, which ends at once. Key slots that are not plugged in get a box; nothing here asks for a
// device.

public import CSPP
public import SecretMemory

/// How far a rotation of the master key has come.
public enum RotationProgress: Sendable {
  /// So many versions of wallets are carried over.
  case versions(Int)
  /// So many bytes of files are copied.
  case copied(UInt64, of: UInt64)
  /// So many bytes of files are decrypted again from the copies.
  case readBack(UInt64, of: UInt64)
}

/// The result of a rotation of the master key.
public struct Rotation: ~Copyable {
  /// The new namespace, open.
  public var namespace: OpenNamespace
  /// The number of wallets that were carried over.
  public internal(set) var wallets = 0
  /// The number of their versions.
  public internal(set) var versions = 0
  /// The number of files that were carried over.
  public internal(set) var files = 0
  /// Silent writers that have to be authorised again: what they write until then is late.
  public internal(set) var silentWriters: [SilentWriterStatus] = []
  /// The objects that were copied in this run, or are whole in the new namespace.
  var objects: Set<Digest> = []
  /// The carried versions whose contents are not here.
  var incompleteFiles: Set<FileVersions.Identity> = []
  /// Key slots for which a box waits.
  public internal(set) var left: [PendingKeySlot] = []
  /// The files that gave no wallet, and versions of files without their contents; they stay where
  /// they are.
  public internal(set) var failures: [FileFinding] = []
  /// Whether an interrupted rotation was finished.
  public internal(set) var isResumed = false

  /// Returns the new namespace and ends this value.
  public consuming func take() -> OpenNamespace { namespace }
}

extension Namespace {
  /// The namespace that an interrupted rotation of this one's master key began here; nil if there
  /// is none.
  ///
  /// - Throws: if a listing fails.
  public func unfinishedRotation() throws(BackupFolderError) -> Namespace? {
    guard let state = try? state(make: false) else { return nil }
    for candidate in try state.namespaces()
    where try state.localState(of: candidate).rotatingFrom == id {
      if let sibling = try sibling(candidate) { return sibling }
    }
    return nil
  }
}

extension OpenNamespace {
  /// The key slots that need a box to open another namespace.
  ///
  /// These are all but the one in use, including those that earlier rotations left behind. Only
  /// the log counts: anyone who can write to the folder can add a key slot file.
  ///
  /// - Parameters:
  ///   - atHand: the key slot that rotates. Slots of the same credential, those it replaces and those
  ///     that replace it are the same security key.
  ///   - credentialID: its credential, where it may be an earlier namespace's slot.
  /// - Returns: the slots, ordered by their labels.
  public func pendingKeySlots(
    besides atHand: KeyID? = nil, of credentialID: [UInt8]? = nil
  ) -> [PendingKeySlot] {
    let all = keyWrappers()
    let credential =
      atHand.flatMap { all[$0] }.map { Self.credential(of: $0) } ?? credentialID
    let removed = removedKeySlots()
    let sameKey = atHand.map { Self.successions(of: $0, among: all) } ?? []
    return all.keys.filter { key in
      guard !sameKey.contains(key), !removed.contains(key), let wrapper = all[key] else {
        return false
      }
      return credential == nil || Self.credential(of: wrapper) != credential
    }.compactMap { key in
      all[key].map {
        PendingKeySlot(
          keyID: key, label: $0.header.label, isGuarded: $0.header.isGuarded,
          recipient: $0.recipient)
      }
    }.sorted { ($0.label, $0.keyID) < ($1.label, $1.keyID) }
  }

  /// A key slot with all that it replaces, in turn, and all that replace it: `rotate` created them
  /// on one security key.
  private static func successions(of key: KeyID, among all: [KeyID: KeyWrapper]) -> Set<KeyID> {
    var found: Set<KeyID> = [key]
    var count = 0
    while count < found.count {
      count = found.count
      for (other, wrapper) in all {
        guard let replaced = wrapper.header.replaces else { continue }
        if found.contains(other) || found.contains(replaced) { found.formUnion([other, replaced]) }
      }
    }
    return found
  }

  /// The logged files of this namespace's key slots and of pending ones.
  ///
  /// An earlier namespace's log is not used: its master key was given up, and anyone who has it can
  /// write there.
  func keyWrappers() -> [KeyID: KeyWrapper] {
    var wrappers: [KeyID: KeyWrapper] = [:]
    for (key, slot) in log.pendingKeySlots {
      wrappers[key] = Self.wrapper(slot.file, of: key, at: slot.namespaceID)
    }
    for (key, file) in log.keyFiles { wrappers[key] = Self.wrapper(file, of: key, at: id) }
    return wrappers
  }

  private static func wrapper(_ file: [UInt8], of key: KeyID, at id: NamespaceID) -> KeyWrapper? {
    guard let wrapper = try? KeyWrapper(parsing: file.span, at: id), wrapper.header.keyID == key
    else { return nil }
    return wrapper
  }

  /// The removed key slots.
  func removedKeySlots() -> Set<KeyID> { log.removedKeys }

  /// Logs which key slots have their file only in an earlier namespace.
  mutating func logLeft(
    _ slots: [PendingKeySlot], of older: borrowing OpenNamespace, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    let settings = namespace.settings
    var operation = OperationBuilder(
      at: settings.clock(), writerLabel: settings.writerLabel, seen: [])
    var noted: [(KeyID, OperationLog.LoggedPendingKeySlot)] = []
    for slot in slots where log.pendingKeySlots[slot.keyID] == nil {
      let own = older.log.keyFiles[slot.keyID].map {
        OperationLog.LoggedPendingKeySlot(namespaceID: older.id, file: $0)
      }
      guard let left = own ?? older.log.pendingKeySlots[slot.keyID] else { continue }
      operation.keyLeft(slot.keyID, in: left.namespaceID, file: left.file.span)
      noted.append((slot.keyID, left))
    }
    if noted.isEmpty { return }
    let staged = try stage(operation, nextHeader(), seen: [], versions: [], run: run)
    try publish(staged, run: run)
    for (key, slot) in noted { log.include(left: slot, key) }
  }

  static func credential(of wrapper: KeyWrapper) -> [UInt8]? {
    if case .securityKey(let key) = wrapper.header.kind { key.credentialID } else { nil }
  }

  /// Creates a new master key and a new namespace, carries everything over, verifies it, and logs
  /// it here as the successor.
  ///
  /// After an interruption, the next call with the same key slot continues; a call with another
  /// slot starts over. This namespace stays in charge until the last step.
  ///
  /// - Parameters:
  ///   - enrolment: the key slot of the new namespace; after an interruption, as in the file of
  ///     ``Namespace/unfinishedRotation()``.
  ///   - secret: its secret; of a security key, its PRF output for that salt.
  ///   - atHand: the key slot that is the same device or code. It may be an earlier namespace's, where
  ///     that one was opened first.
  ///   - despiteGaps: whether to go on while operations of silent writers, or contents of files, are
  ///     missing; they are late when they come.
  ///   - progress: is told how far it has come.
  /// - Returns: the new namespace, open.
  /// - Throws: ``BackupFolderError/cannotRotate(_:)``, ``BackupFolderError/keySlotRemoved``,
  ///   ``BackupFolderError/guardsAlone`` and system errors; this namespace is then unchanged.
  public mutating func rotateMasterKey(
    to enrolment: Enrolment, secret: borrowing SecretBytes, atHand: KeyID,
    despiteGaps: Bool = false, progress: (RotationProgress) -> Void = { _ in }
  ) throws(BackupFolderError) -> Rotation {
    if enrolment.kind.isGuarded { throw .guardsAlone }
    let run = try beginRun()
    if removedKeySlots().contains(atHand) { throw .keySlotRemoved }
    try requireWhole(despiteGaps)
    // Files staged by a killed run are removed before another operation uses their counter.
    _ = try repair(run: run)
    let unfinished = try namespace.unfinishedRotation()
    let next = try successor(
      enrolment, secret: secret, unfinished: unfinished, despiteGaps: despiteGaps, run: run)
    var rotation = Rotation(namespace: next)
    rotation.isResumed = unfinished?.id == rotation.namespace.id
    try rotation.namespace.found(by: enrolment, secret: secret, run: run)
    var carried: Set<CarriedVersion> = []
    var files: Set<FileVersions.Identity> = []
    // Versions that arrive in the meantime are carried over too; later ones are late.
    var ends: [Operation.Seen] = []
    for _ in 0..<3 {
      let before = (carried.count, files, fileState.sealed.names)
      ends = log.index.tips()
      carried = try carry(into: &rotation, enrolment, despiteGaps: despiteGaps, run: run) {
        progress(.versions($0))
      }
      files = try carryFiles(
        into: &rotation, despiteGaps: despiteGaps, run: run, progress: progress)
      try refresh(run: run)
      if (carried.count, files, fileState.sealed.names) == before { break }
    }
    try requireWhole(despiteGaps)
    if isOutdated(rotation.namespace) { throw .cannotRotate(.changed) }
    _ = try rotation.namespace.repair(run: run)
    if let problem = rotation.namespace.view.problem { throw problem }
    try rotation.namespace.verify(
      carried, files, without: rotation.incompleteFiles, enrolment.keyID, secret: secret,
      progress: progress)
    rotation.versions = carried.count
    rotation.wallets = Set(carried.map(\.record)).count
    let waiting = Set(keySlotsWithoutFile.map(\.keyID))
    rotation.left = pendingKeySlots(besides: atHand, of: enrolment.credentialID).filter {
      has($0.keyID) || waiting.contains($0.keyID)
    }
    rotation.silentWriters = silentWriters().filter { !$0.isRetired }
    try rotation.namespace.logLeft(rotation.left, of: self, run: run)
    try rotation.namespace.logFrom(masterKey, upTo: ends, run: run)
    let last = try rotation.namespace.lastCarrying(run: run)
    try move(
      to: rotation.namespace.id, rotation.namespace.masterKey, last: last,
      leaving: rotation.left, run: run)
    try rotation.namespace.settleRotation(from: self, run: run)
    return rotation
  }

  /// Throws if anything would be left behind and found only later.
  private func requireWhole(_ despiteGaps: Bool) throws(BackupFolderError) {
    if let successor = log.links.successors.first {
      throw .cannotRotate(.moved(to: successor.id))
    }
    if hasUnknownChanges { throw .cannotRotate(.newerProgram) }
    // Another computer's rotation was carrying over from there. What it left out may still come.
    let here = lineage.earlier.map { $0.open.id }
    if !log.links.isSettled, log.links.earlier.contains(where: { !here.contains($0.namespaceID) }) {
      throw .cannotRotate(.notWhole)
    }
    if health.rolledBack + health.forked > 0 || awaitsOperations { throw .cannotRotate(.notWhole) }
    // Anybody can put files here that are no operations. A person may go on without them.
    if !despiteGaps, !unusableLogFiles.isEmpty { throw .cannotRotate(.filesMissing) }
    try requireWholeFiles(despiteGaps)
  }

  /// The files of the logs that are of no use, and whose operation no other file has.
  var unusableLogFiles: [FileFinding] { logFindings.filter { $0.state != .foreign } }

  /// Whether an operation is named and has no file here.
  private var awaitsOperations: Bool {
    if health.incomplete == 0 { return false }
    return missingStart != nil
      || namespace.health(
        of: log.index, localState: localState, unsynchronised: [],
        damaged: Set(log.unread)
      ).incomplete > 0
  }

  /// Opens the namespace of an interrupted rotation, or creates one.
  private func successor(
    _ enrolment: Enrolment, secret: borrowing SecretBytes, unfinished: Namespace?,
    despiteGaps: Bool, run: borrowing WritingRun
  ) throws(BackupFolderError) -> OpenNamespace {
    if let unfinished {
      // If someone added other files to it, verification would fail, so it is created again.
      let scan = try? unfinished.scan()
      let slots = (scan?.keySlots ?? []).filter { $0.keyID == enrolment.keyID }
      if let slot = slots.first, scan?.findings.allSatisfy({ $0.state == .foreign }) == true,
        slot.header(openedBy: secret) != nil,
        slots.allSatisfy({ $0.damagedFiles(secret: secret).isEmpty })
      {
        let key = try slot.unwrap(secret: secret)
        if try unfinished.keyFileBytes(of: enrolment.keyID) == nil {
          // The slot was found under a temporary name.
          _ = try unfinished.write(enrolment, key, secret: secret, tag: run.tag)
        }
        let next = try alone(unfinished, key, enrolment.keyID)
        // What was settled or removed since would come back: it begins again.
        if !isOutdated(next), !comesTooLate(for: next), next.unusableLogFiles.isEmpty {
          return next
        }
      }
    }
    guard isNew(enrolment) else {
      throw .internalError("the way into the new namespace is not a new one")
    }
    if let unfinished {
      let staying = try keepObjects(of: unfinished, despiteGaps: despiteGaps, run: run)
      try unfinished.discardUnfinished(leaving: despiteGaps ? staying : nil, run: run)
    }
    let masterKey = MasterKey.random()
    let new = masterKey.namespaceID
    // Remembered before anything of it is written.
    var localState = LocalState()
    localState.rotatingFrom = id
    try run.state.save(localState, of: new)
    let all = try namespace.folder.makeSubdirectory(FolderLayout.namespaces)
    let made = Namespace(
      id: new, directory: try all.makeSubdirectory(new.hex), settings: namespace.settings,
      folder: namespace.folder)
    _ = try made.directory.makeSubdirectory(FolderLayout.walletFolder)
    _ = try made.write(enrolment, masterKey, secret: secret, tag: run.tag)
    return try alone(made, masterKey, enrolment.keyID)
  }

  /// Whether the ID and the salt of the next namespace's key slot are new here.
  ///
  /// Otherwise it would have an earlier slot's secret, or get the boxes of another key slot.
  private func isNew(_ enrolment: Enrolment) -> Bool {
    let known = keyWrappers()
    if known[enrolment.keyID] != nil || removedKeySlots().contains(enrolment.keyID) { return false }
    guard case .securityKey(let key) = enrolment.kind else { return true }
    return known.values.allSatisfy { wrapper in
      guard case .securityKey(let earlier) = wrapper.header.kind else { return true }
      return earlier.prfSalt != key.prfSalt
    }
  }

  /// Opens the new namespace without this one, since it must hold everything itself.
  private func alone(
    _ new: Namespace, _ masterKey: consuming MasterKey, _ key: KeyID
  ) throws(BackupFolderError) -> OpenNamespace {
    var open = OpenNamespace(new, masterKey: masterKey, by: key, purpose: .reading)
    open.lineage.openElsewhere = [id]
    try open.load()
    return open
  }

  /// Writes `moved`, which puts the new namespace in charge.
  mutating func move(
    to next: NamespaceID, _ nextKey: borrowing MasterKey, last: Operation.Seen,
    leaving slots: [PendingKeySlot], run: borrowing WritingRun
  ) throws(BackupFolderError) {
    var boxes: [Operation.Box] = []
    for slot in slots {
      do {
        boxes.append(
          Operation.Box(keyID: slot.keyID, box: try nextKey.sealed(to: slot.recipient)))
      } catch {
        throw .internalError("a box for \(slot.keyID): \(error)")
      }
    }
    var staged = try stage(run: run) { $0.moved(to: next, boxes: boxes, last: last) }
    staged.hasLinks = true
    try publish(staged, run: run)
    log.links.include(successor: LogLinks.Successor(id: next, boxes: boxes, last: last))
  }

  /// The operation that has seen all operations that were carried over.
  ///
  /// After an interruption, the chains of several writers hold them.
  private mutating func lastCarrying(
    run: borrowing WritingRun
  ) throws(BackupFolderError) -> Operation.Seen {
    let seen = log.index.tips()
    if seen.count == 1 { return seen[0] }
    let staged = try stage(run: run) { _ in }
    try publish(staged, run: run)
    return staged.reference
  }

  /// Remembers that this namespace is in charge.
  private mutating func settleRotation(
    from older: borrowing OpenNamespace, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    var before = try run.state.localState(of: older.id)
    before.movedTo = id
    localState = try run.state.localState(of: id)
    localState.rotatingFrom = nil
    localState.rotatingWriters = []
    localState.isTrusted = true
    localState.earlier = before.earlier.union([older.id])
    // The new one first: a run that is killed in between leaves one that can be opened.
    do {
      try run.state.save(localState, of: id)
      try run.state.save(before, of: older.id)
    } catch {
      // The next run finds what the logs say, and remembers that.
    }
    // The rotation is done; if this fails, the next run reports it.
    try? logFrom(older.masterKey, run: run)
    lineage.openElsewhere = []
    try load()
    rememberKeySlots(isLocked: true)
  }
}
