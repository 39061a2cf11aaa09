public import CSPP
internal import SecretMemory

/// Key slots that one of two merged rotations knew to be removed.
public struct MergedKeySlots: Equatable, Sendable {
  /// A key slot.
  public struct Kept: Equatable, Sendable {
    /// Its name.
    public let label: String
    /// Its ID.
    public let keyID: KeyID
  }

  /// The labels of those that waited for a box and that the other rotation knew to be removed.
  ///
  /// They are removed here now; boxes for them were in the folder.
  public internal(set) var removed: [String] = []
  /// Those that the other rotation knew to be removed, and that have a file here: they stay.
  public internal(set) var kept: [Kept] = []
}

/// Completes rotations of the master key in a writing run.
///
/// It handles key slots that were not plugged in, and rotations on two computers that did not know
/// each other.
extension OpenNamespace {
  /// Whether a key slot has a file of its own here.
  public func has(_ key: KeyID) -> Bool { log.keyFiles[key] != nil }

  /// Gives a key slot that opened the backup through a box its own file here, with its existing
  /// salt.
  ///
  /// Its secret opened the box, which proves that the slot gives it again.
  ///
  /// - Parameters:
  ///   - slot: the slot as an earlier namespace describes it.
  ///   - secret: its secret.
  /// - Returns: `false` where there is nothing to do: it has a file, was removed, or no file of
  ///   `keys/` opens with the secret. A slot that needs guards is not admitted either: anyone
  ///   who knows the former master key may end its accounts, so it needs another secret.
  /// - Throws: system errors.
  public mutating func admit(
    _ slot: KeySlot, _ secret: KeySlotSecret
  ) throws(BackupFolderError) -> Bool {
    // Anyone who can write to the folder can create a header that no secret has opened.
    guard let header = slot.header(openedBy: secret.secret), header.keyID == secret.keyID else {
      return false
    }
    if header.isGuarded { return false }
    let run = try beginRun()
    if removedKeySlots().contains(header.keyID) { return false }
    if has(header.keyID) {
      if try opens(header.keyID, secret) { opening.keyID = header.keyID }
      return false
    }
    let enrolment = Enrolment(
      label: header.label, kind: header.kind, keyID: header.keyID, replaces: header.replaces)
    _ = try namespace.write(enrolment, masterKey, secret: secret.secret, tag: run.tag)
    guard let file = try namespace.keyFileBytes(of: header.keyID),
      try opens(header.keyID, secret)
    else { throw .incomplete(path: namespace.directory.path) }
    var envelope: [UInt8]?
    if log.envelope == nil, try namespace.envelopeBytes() == nil {
      try writeEnvelope(for: enrolment, secret: secret.secret, run: run)
      envelope = try namespace.envelopeBytes()
    }
    try logKeySlot(file, header.keyID, envelope: envelope, run: run)
    opening.keyID = header.keyID
    opening.provedBy = header.keyID
    rememberKeySlots(isLocked: true)
    return true
  }

  /// Whether the slot's file here opens with its secret.
  private func opens(_ key: KeyID, _ secret: KeySlotSecret) throws(BackupFolderError) -> Bool {
    guard let file = try namespace.keyFileBytes(of: key),
      let wrapper = try? KeyWrapper(parsing: file.span, at: id)
    else { return false }
    return (try? wrapper.open(secret: secret.secret)) != nil
  }

  /// Includes the namespaces of other rotations of the same namespace as earlier ones, and leaves
  /// boxes for their key slots.
  ///
  /// A key slot that waits for a box, and that one of the rotations knew to be removed, is removed.
  ///
  /// - Returns: what became of such key slots; nil: there was nothing to do.
  /// - Throws: system errors.
  @discardableResult
  public mutating func mergeRivals() throws(BackupFolderError) -> MergedKeySlots? {
    let isLeft = lineage.earlier.contains {
      follows($0.open.id)
        ? isEnd($0.open) || !log.links.isSettled : lineage.rivals.contains($0.open.id)
    }
    guard isLeft else { return nil }
    let run = try beginRun()
    var isMerged = false
    var slots = MergedKeySlots()
    for older in lineage.earlier {
      let isRival = lineage.rivals.contains(older.open.id) && !follows(older.open.id)
      if !isRival, !follows(older.open.id) { continue }
      // Of an earlier namespace only the slots left at its rotation count.
      var left = keySlotsWithoutFile
      if isRival {
        let (own, theirs) = (keySlots(knownTo: self), keySlots(knownTo: older.open))
        let files = older.open.keyWrappers()
        left = withoutFile(older.open.pendingKeySlots(), described: files)
          .filter { !own.removed.contains($0.keyID) && !own.isGone($0.keyID, files[$0.keyID]) }
        try logLeft(left, of: older.open, run: run)
        try follow(theirs, &slots, run: run)
        // Publishing judges the files of all namespaces again, so none may be in use meanwhile.
        let names = older.open.log.files.authorisations
        let retirements = older.open.knownRetirements
        try carryNames(names, run: run)
        try carryRetirements(retirements, run: run)
      }
      if isRival || !log.links.isSettled {
        // What is written there from now on is late.
        let ends = isRival ? older.open.log.index.tips() : nil
        try logFrom(older.open.masterKey, ends: ends, run: run)
      }
      guard isEnd(older.open), let last = log.index.tips().first else { continue }
      _ = try older.open.repair(run: run)
      try older.open.move(to: id, masterKey, last: last, leaving: left, run: run)
      isMerged = true
    }
    return isMerged ? slots : nil
  }

  /// Removes those pending key slots that another rotation knew to be removed.
  ///
  /// One that has a file here was used since.
  private mutating func follow(
    _ known: KnownKeySlots, _ merged: inout MergedKeySlots, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    let files = keyWrappers()
    let waiting = keySlotsWithoutFile
    let gone = waiting.filter { known.isGone($0.keyID, files[$0.keyID]) }
    // The other slot of a security key whose secret was renewed is here now.
    let ended = waiting.filter { known.removed.contains($0.keyID) }
    let ids = Set((gone + ended).map(\.keyID))
    for slot in gone { merged.removed.append(name(of: slot.keyID, slot.label)) }
    for (key, wrapper) in files.sorted(by: { $0.key < $1.key })
    where has(key) && !removedKeySlots().contains(key) && known.isGone(key, wrapper) {
      merged.kept.append(
        MergedKeySlots.Kept(label: name(of: key, wrapper.header.label), keyID: key))
    }
    if !ids.isEmpty { try logRemoval(of: ids, among: keySlots(), run: run) }
  }

  private func name(of key: KeyID, _ label: String) -> String { log.keyLabels[key]?.text ?? label }

  private func isEnd(_ open: borrowing OpenNamespace) -> Bool { open.log.links.successors.isEmpty }

  /// Logs how far an earlier namespace was carried over.
  ///
  /// This precedes that namespace's `moved`: anyone who has its master key may add to it
  /// afterwards.
  mutating func logFrom(
    _ key: borrowing MasterKey, upTo ends: [Operation.Seen], run: borrowing WritingRun
  ) throws(BackupFolderError) {
    let settings = namespace.settings
    var operation = OperationBuilder(
      at: settings.clock(), writerLabel: settings.writerLabel, seen: [])
    operation.from(key, ends: ends)
    var staged = try stage(operation, nextHeader(), seen: [], versions: [], run: run)
    staged.hasLinks = true
    try publish(staged, run: run)
    log.links.include(earlier: SharedMasterKey(key.copy()), isLater: false, ends: ends)
  }

  /// Logs that this namespace follows another and is now in charge.
  mutating func logFrom(
    _ key: borrowing MasterKey, ends: [Operation.Seen]? = nil, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    var staged = try stage(run: run) { $0.from(key, ends: ends) }
    staged.hasLinks = true
    try publish(staged, run: run)
    log.links.include(earlier: SharedMasterKey(key.copy()), isLater: true, ends: ends)
  }
}
