public import CSPP
internal import SecretMemory

/// Changes the names of the enrolled key slots, and removes key slots.
extension OpenNamespace {
  /// The removed key slots; their IDs never return.
  public var removedKeys: Set<KeyID> { log.removedKeys }

  /// The key slots, with their names from the log.
  ///
  /// - Returns: the slots, including removed ones of which a file is still here.
  /// - Throws: as ``Namespace/scan()``.
  public func keySlots() throws(BackupFolderError) -> [KeySlot] {
    var slots = try namespace.scan().keySlots
    let contents = enrolledContents
    let isWhole =
      health.incomplete + health.rolledBack == 0
      && log.findings.allSatisfy { $0.state == .foreign }
    for place in slots.indices {
      if slots[place].isConfirmed(by: contents) { slots[place].isEnrolled = true }
      // Its operation may still have to be synchronised.
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

  /// Renames a key slot; see ``setLabel(_:ofAll:)``.
  public mutating func setLabel(_ label: String, of key: KeyID) throws(BackupFolderError) {
    try setLabel(label, ofAll: [key])
  }

  /// Renames key slots, all or none: one security key may have several.
  ///
  /// - Parameters:
  ///   - label: the name.
  ///   - keys: the key slots.
  /// - Throws: ``BackupFolderError/noSuchKeySlot``; system errors.
  public mutating func setLabel(
    _ label: String, ofAll keys: Set<KeyID>
  ) throws(BackupFolderError) {
    let run = try beginRun()
    _ = try repair(run: run)
    let enrolled = Set(keyWrappers().keys).subtracting(log.removedKeys)
    guard keys.isSubset(of: enrolled) else { throw .noSuchKeySlot }
    if keys.isEmpty { return }
    let time = time(after: keys.compactMap { log.keyLabels[$0]?.at }.max())
    try publish(at: time, run: run) { operation in
      for key in keys.sorted() { operation.keyLabel(key, label: label) }
    }
    for key in keys { log.include(label: label, of: key, at: time) }
    rememberKeySlots(isLocked: true)
  }

  /// Removes key slots: logs the removal, then deletes their files.
  ///
  /// In between, if a removed slot owned the CSPP envelope, the security key that opened the backup
  /// gets it.
  ///
  /// A removal takes nothing from anyone who has an older copy of the folder and the slot's secret.
  /// Only a rotation of the master key does.
  ///
  /// - Parameters:
  ///   - keys: the key slots, or files that claim to be one. Of slots that were removed before,
  ///     only the files are deleted.
  ///   - allowingLast: whether the last slot that needs no guards may go; nobody can open the
  ///     backup after that, or only with guards.
  /// - Throws: ``BackupFolderError/noSuchKeySlot``, ``BackupFolderError/lastKeySlot``;
  ///   ``BackupFolderError/opensByRemoved`` when it is the slot that opened the backup: only using
  ///   another slot proves that it works; ``BackupFolderError/envelopeNeedsSecurityKey``; system
  ///   errors. See ``viewProblem`` for files that could not be deleted yet.
  public mutating func removeKeySlots(
    _ keys: Set<KeyID>, allowingLast: Bool = false
  ) throws(BackupFolderError) {
    let run = try beginRun()
    slotFiles.unwanted = keys
    _ = try repair(run: run)
    let keys = keys.subtracting(log.removedKeys)
    if keys.isEmpty { return }
    let slots = try allKeySlots()
    guard keys.allSatisfy({ isHere($0, among: slots) }) else { throw .noSuchKeySlot }
    let isLast = !slots.contains { slot in
      slot.isEnrolled == true && !slot.isRemoved && !slot.isGuarded
        && slot.keyID.map { !keys.contains($0) } ?? true
    }
    if isLast, !allowingLast { throw .lastKeySlot }
    if !isLast, let key = opening.keyID, keys.contains(key) { throw .opensByRemoved }
    try logRemoval(of: keys, among: slots, run: run)
    if isLast { slotFiles.deletable.formUnion(keys) }
    _ = try repair(run: run)
    rememberKeySlots(isLocked: true)
  }

  /// Whether there is anything to remove; a file that was never enrolled counts too, since the user
  /// named it.
  private func isHere(_ key: KeyID, among slots: [KeySlot]) -> Bool {
    guard !log.removedKeys.contains(key) else { return false }
    return log.keyFiles[key] != nil || log.pendingKeySlots[key] != nil
      || slots.contains { $0.keyID == key }
  }

  /// Logs that key slots are removed, together with the envelope's new owner.
  mutating func logRemoval(
    of keys: Set<KeyID>, among slots: [KeySlot], run: borrowing WritingRun
  ) throws(BackupFolderError) {
    let gone = log.removedKeys.union(keys)
    // The envelope's owner according to the log, otherwise according to the file.
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

  /// The time of the next change that must take precedence over the logged one, in Unix seconds.
  ///
  /// The logged time may come from any clock. The result never exceeds the largest number that the
  /// format allows: no reader would accept such an operation.
  func time(after logged: UInt64?) -> UInt64 {
    let next = max(namespace.settings.clock(), logged.map { min($0, UInt64(Int64.max)) + 1 } ?? 0)
    return min(next, UInt64(Int64.max))
  }

  /// Publishes an operation that changes no wallet.
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

  /// Removes the folder of a writer whose first operation was not published.
  private func removeUnusedLog(of writer: WriterID) {
    if let logs = try? namespace.logFolder() { logs.removeEmptySubdirectory(writer.hex) }
  }
}
