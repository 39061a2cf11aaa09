public import CSPP
internal import SecretMemory

/// What a person changes about the key slots that are enrolled: their names, and
/// which of them stay.
extension OpenNamespace {
  /// Key slots that were removed; their IDs never return.
  public var removedKeys: Set<KeyID> { log.removedKeys }

  /// The key slots, with the names that the log gives them.
  ///
  /// - Returns: also those that were removed, as long as a file of theirs is
  ///   there.
  /// - Throws: as ``Namespace/scan()``.
  public func keySlots() throws(BackupFolderError) -> [KeySlot] {
    var slots = try namespace.scan().keySlots
    let contents = enrolledContents
    let isWhole = health.incomplete + health.rolledBack == 0 && log.findings.isEmpty
    for place in slots.indices {
      if slots[place].isConfirmed(by: contents) { slots[place].isEnrolled = true }
      // Its operation may be on its way.
      if slots[place].isEnrolled == nil, isWhole { slots[place].isEnrolled = false }
      guard let key = slots[place].keyID else { continue }
      slots[place].isRemoved = log.removedKeys.contains(key)
      guard slots[place].isEnrolled == true else { continue }
      slots[place].label = log.keyLabels[key]?.text ?? slots[place].label
      if key == opening.provedBy {
        slots[place].provedAt = slots[place].provedAt ?? namespace.settings.clock()
      }
    }
    return slots
  }

  /// Gives a key slot another name.
  ///
  /// - Parameters:
  ///   - label: the name.
  ///   - key: the key slot.
  /// - Throws: ``BackupFolderError/noSuchKeySlot``; system errors.
  public mutating func setLabel(_ label: String, of key: KeyID) throws(BackupFolderError) {
    let run = try WritingRun.begin(namespace.state(make: true))
    try refresh(run: run)
    _ = try repair(run: run)
    guard keyWrappers()[key] != nil, !log.removedKeys.contains(key) else { throw .noSuchKeySlot }
    let time = time(after: log.keyLabels[key]?.at)
    try publish(at: time, run: run) { operation in operation.keyLabel(key, label: label) }
    log.include(label: label, of: key, at: time)
    rememberKeySlots(isLocked: true)
    saveCache(run: run)
  }

  /// Removes key slots: logs it, gives the CSPP envelope to the security key that
  /// opened the backup if it was a removed one's, then deletes their files.
  ///
  /// It takes nothing from whoever has an older copy of the folder and the
  /// slot's secret; only another master key does.
  ///
  /// - Parameters:
  ///   - keys: the key slots, or files that claim to be one. Those that were removed
  ///     before only have their files deleted.
  ///   - allowingLast: whether the last one may go: nobody opens the backup
  ///     after that.
  /// - Throws: ``BackupFolderError/noSuchKeySlot``,
  ///   ``BackupFolderError/lastKeySlot``; ``BackupFolderError/opensByRemoved``
  ///   when it is the one that opened the backup: that another one does is proved
  ///   by using it; ``BackupFolderError/envelopeNeedsSecurityKey``; system
  ///   errors. See ``viewProblem`` for files that could not be deleted yet.
  public mutating func removeKeySlots(
    _ keys: Set<KeyID>, allowingLast: Bool = false
  ) throws(BackupFolderError) {
    let run = try WritingRun.begin(namespace.state(make: true))
    try refresh(run: run)
    _ = try repair(run: run)
    let keys = keys.subtracting(log.removedKeys)
    if keys.isEmpty { return saveCache(run: run) }
    let slots = try allKeySlots()
    guard keys.allSatisfy({ isHere($0, among: slots) }) else { throw .noSuchKeySlot }
    let isLast = !slots.contains { slot in
      slot.isEnrolled == true && !slot.isRemoved && slot.keyID.map { !keys.contains($0) } ?? true
    }
    if isLast, !allowingLast { throw .lastKeySlot }
    if !isLast, let key = opening.keyID, keys.contains(key) { throw .opensByRemoved }
    try logRemoval(of: keys, among: slots, run: run)
    if isLast { slotFiles.deletable.formUnion(keys) }
    _ = try repair(run: run)
    rememberKeySlots(isLocked: true)
    saveCache(run: run)
  }

  /// Whether there is anything to remove: a file that was never enrolled too, which a
  /// person has named.
  private func isHere(_ key: KeyID, among slots: [KeySlot]) -> Bool {
    guard !log.removedKeys.contains(key) else { return false }
    return log.keyFiles[key] != nil || slots.contains { $0.keyID == key }
  }

  /// Logs that key slots are removed, and the envelope's new owner with it.
  mutating func logRemoval(
    of keys: Set<KeyID>, among slots: [KeySlot], run: borrowing WritingRun
  ) throws(BackupFolderError) {
    let gone = log.removedKeys.union(keys)
    // Whose the envelope is: as the log says, else the file.
    let logged = log.envelope.flatMap { envelopeOwner($0.file) }
    let owner = logged ?? slots.first(where: \.hasEnvelope)?.keyID
    var envelope: [UInt8]?
    if let owner, gone.contains(owner) {
      envelope = try sealedForOpener(except: gone)
      let others = slots.contains {
        $0.kind == .securityKey && $0.isEnrolled == true
          && $0.keyID.map { !gone.contains($0) } ?? false
      }
      if envelope == nil, others { throw .envelopeNeedsSecurityKey }
    }
    let time = time(after: log.envelope?.at)
    try publish(at: time, run: run) { operation in
      for key in keys.sorted() { operation.keyRemove(key) }
      if let envelope { operation.envelope(file: envelope.span) }
    }
    for key in keys { log.include(removed: key) }
    if let envelope { log.include(envelope: envelope, at: time) }
  }

  /// When the next change of something happens, which is to count instead of the
  /// logged one; Unix seconds.
  ///
  /// Whatever clock that one was written by, an operation beyond the largest number
  /// that the format takes would be read by nobody.
  func time(after logged: UInt64?) -> UInt64 {
    let next = max(namespace.settings.clock(), logged.map { min($0, UInt64(Int64.max)) + 1 } ?? 0)
    return min(next, UInt64(Int64.max))
  }

  /// Publishes an operation that concerns no wallet.
  mutating func publish(
    at time: UInt64, run: borrowing WritingRun,
    _ changes: (inout OperationBuilder) -> Void
  ) throws(BackupFolderError) {
    let header = try nextHeader()
    let staged: StagedOperation
    do {
      staged = try stage(at: time, header, run: run, changes)
    } catch {
      removeUnusedLog(of: header.writerID)
      throw error
    }
    try publish(staged, run: run)
  }

  /// Removes the folder of a writer whose first operation did not come to be.
  private func removeUnusedLog(of writer: WriterID) {
    if let logs = try? namespace.logFolder() { logs.removeEmptySubdirectory(writer.hex) }
  }
}
