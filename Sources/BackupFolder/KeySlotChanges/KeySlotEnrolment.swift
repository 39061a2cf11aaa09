// This folder is for changes of key slots with the open master key: enrolling, naming and
// removing them, and remembering them on this computer. The format of a slot's file is known in
// KeySlots; damaged ones are repaired in Repair.

public import CSPP
public import SecretMemory

extension OpenNamespace {
  /// Records which key slot opened the namespace, and its secret, so that a security key can be
  /// given the CSPP envelope.
  ///
  /// - Parameters:
  ///   - slot: the key slot that was unwrapped.
  ///   - secret: the slot's secret; of a security key, its PRF output.
  public mutating func noteOpener(_ slot: KeySlot, secret: consuming SecretBytes) {
    let header = slot.header(openedBy: secret)
    if opening.keyID == nil, let key = header?.keyID { return noteBox(of: key) }
    guard slot.keyID == opening.keyID else { return }
    if header == nil, slot.keyID != nil {
      // The envelope opened. It names its owner itself; the log knows whether that is true.
      var slot = slot
      guard slot.isConfirmed(by: enrolledContents) else {
        opening.keyID = nil
        return
      }
    }
    opening.provedBy = slot.keyID
    opening.opener = Opener(slot: slot, header: header, secret: secret)
    // A writing run remembers it once it has the lock.
    if purpose == .reading { rememberKeySlots(isLocked: false) }
  }

  /// Records that a recovery code opened the namespace through its offline kit.
  ///
  /// - Parameter key: the kit's ID, from a header that its secret opened.
  public mutating func noteOfflineKit(_ key: KeyID) {
    if opening.keyID == nil { return noteBox(of: key) }
    guard key == opening.keyID else { return }
    opening.provedBy = key
    if purpose == .reading { rememberKeySlots(isLocked: false) }
  }

  /// Records that a key slot whose file is in an earlier namespace opened this one through its box.
  private mutating func noteBox(of key: KeyID) {
    guard keySlotsWithoutFile.contains(where: { $0.keyID == key }) else { return }
    opening.provedBy = key
    if purpose == .reading { rememberKeySlots(isLocked: false) }
  }

  /// Enrols another key slot.
  ///
  /// The order is: its file, the operation, then the CSPP envelope if this slot is to have it. A
  /// failure before the operation is published leaves the folder as it was.
  ///
  /// - Parameters:
  ///   - enrolment: describes the key slot.
  ///   - secret: the slot's secret; of a security key, its PRF output for the enrolment's salt, 32
  ///     bytes.
  ///   - confirmation: the same secret, obtained a second time.
  ///   - replacingForeignEnvelope: whether it gets the CSPP envelope although one is present that
  ///     belongs to no enrolled key. A security key always gets it where there is none.
  /// - Throws: ``BackupFolderError/evaluationsDiffer``; ``BackupFolderError/guardsAlone`` for a slot
  ///   that needs guards where there is no other, or that replaces another kind; system errors.
  public mutating func addKeySlot(
    _ enrolment: Enrolment, secret: borrowing SecretBytes,
    confirmedBy confirmation: borrowing SecretBytes, replacingForeignEnvelope: Bool = false
  ) throws(BackupFolderError) {
    guard secret.isEqual(to: confirmation) else { throw .evaluationsDiffer }
    try enrol(enrolment, secret: secret, replacingForeign: replacingForeignEnvelope)
  }

  /// Enrols a replacement for the key slot that opened the backup, after one evaluation
  /// (docs/decisions/0019).
  ///
  /// The older slot stays untouched. It is removed in the first writing run that the new slot
  /// opens, which is the second evaluation.
  ///
  /// - Parameters:
  ///   - enrolment: describes the new slot, and names in ``Enrolment/replaces`` the slot that
  ///     opened the backup.
  ///   - secret: the new slot's PRF output for the enrolment's salt, 32 bytes.
  /// - Throws: ``BackupFolderError/noSuchKeySlot`` when another slot opened the backup,
  ///   ``BackupFolderError/keySlotRemoved``; system errors.
  public mutating func addReplacement(
    _ enrolment: Enrolment, secret: borrowing SecretBytes
  ) throws(BackupFolderError) {
    guard let key = opening.keyID, enrolment.replaces == key else { throw .noSuchKeySlot }
    try enrol(enrolment, secret: secret, replacingForeign: false)
  }

  private mutating func enrol(
    _ enrolment: Enrolment, secret: borrowing SecretBytes, replacingForeign: Bool
  ) throws(BackupFolderError) {
    let run = try beginRun()
    if let old = enrolment.replaces, removedKeySlots().contains(old) { throw .keySlotRemoved }
    _ = try repair(run: run)
    if enrolment.kind.isGuarded { try requireOtherKind(besideHeirOf: enrolment.replaces) }
    let envelope = try envelope(
      for: enrolment, secret: secret, replacingForeign: replacingForeign)
    let before = try listingMark()
    let time = time(after: log.envelope?.at)
    let file: (bytes: [UInt8], wrapper: KeyWrapper)
    do {
      file = try namespace.write(enrolment, masterKey, secret: secret, tag: run.tag)
      try publish(at: time, run: run) { operation in
        operation.keyAdd(enrolment.keyID, file: file.bytes.span)
        if let envelope { operation.envelope(file: envelope.span) }
      }
    } catch {
      // The slot is enrolled if its operation has a name, which may not be durable yet.
      if let now = try? listingMark(), now == before {
        try? namespace.removeKeyFile(of: enrolment.keyID)
      }
      throw error
    }
    log.include(keyFile: file.bytes, of: enrolment.keyID)
    if let envelope {
      log.include(envelope: envelope, at: time)
      slotFiles.replacesForeignEnvelope = replacingForeign
      _ = try repair(run: run)
    }
    rememberKeySlots(isLocked: true)
  }

  /// Checks that guards are not the only way in once a slot that needs them is enrolled.
  ///
  /// ``addKeySlot(_:secret:confirmedBy:replacingForeignEnvelope:)`` checks it again. A caller that
  /// makes accounts at guards first calls this before.
  ///
  /// - Parameter replaced: the key slot that the new one replaces.
  /// - Throws: ``BackupFolderError/guardsAlone``.
  public func requireOtherKind(besideHeirOf replaced: KeyID?) throws(BackupFolderError) {
    let slots = try allKeySlots().filter { $0.isEnrolled == true && !$0.isRemoved }
    let old = slots.first { $0.keyID != nil && $0.keyID == replaced }
    guard slots.contains(where: { !$0.isGuarded }), replaced == nil || old?.isGuarded == true
    else { throw .guardsAlone }
  }

  /// The envelope for a security key that is being enrolled; nil where the present one stays.
  private func envelope(
    for enrolment: Enrolment, secret: borrowing SecretBytes, replacingForeign: Bool
  ) throws(BackupFolderError) -> [UInt8]? {
    guard case .securityKey(let key) = enrolment.kind, enrolment.replaces == nil,
      try isEnvelopeFree(replacingForeign: replacingForeign)
    else { return nil }
    return try sealEnvelope(
      for: .init(keyID: enrolment.keyID, rpID: key.rpID, credentialID: key.credentialID),
      prfSalt: key.prfSalt, secret: secret)
  }
}

extension OpenNamespace {
  /// Whether a security key may be given the CSPP envelope.
  ///
  /// It may if there is none, or if the present one belongs to no enrolled key and may be replaced.
  private func isEnvelopeFree(replacingForeign: Bool) throws(BackupFolderError) -> Bool {
    let present = try keySlots().filter { $0.hasEnvelope && !$0.isRemoved }
    if present.isEmpty {
      let owner = log.envelope.flatMap { envelopeOwner($0.file) }
      return owner.map { log.removedKeys.contains($0) } ?? true
    }
    return replacingForeign
      && present.allSatisfy { slot in slot.keyID.map { log.keyFiles[$0] == nil } ?? true }
  }

  /// Writes lost or damaged files of key slots again, and deletes those of removed slots.
  ///
  /// If the CSPP envelope belongs to no slot, the security key that opened the backup gets it.
  ///
  /// - Parameter replacingForeignEnvelope: whether an envelope that belongs to no enrolled key is
  ///   replaced.
  /// - Throws: system errors; see ``viewProblem`` too.
  public mutating func repairKeySlots(
    replacingForeignEnvelope: Bool = false
  ) throws(BackupFolderError) {
    let run = try beginRun()
    try followSilentWallets(run: run)
    _ = try repair(run: run)
    try repairCarriedObjects(run: run)
    if try isEnvelopeFree(replacingForeign: replacingForeignEnvelope),
      let envelope = try sealedForOpener(except: log.removedKeys)
    {
      let time = time(after: log.envelope?.at)
      try publish(at: time, run: run) { operation in operation.envelope(file: envelope.span) }
      log.include(envelope: envelope, at: time)
      slotFiles.replacesForeignEnvelope = replacingForeignEnvelope
      _ = try repair(run: run)
    }
    rememberKeySlots(isLocked: true)
  }
}

extension Namespace {
  /// Removes the file of a key slot that was never logged.
  fileprivate func removeKeyFile(of key: KeyID) throws(BackupFolderError) {
    guard let keys = try keyFolder() else { return }
    try keys.unlink(FolderLayout.keyFile(key))
    try keys.sync()
  }
}

extension KeySlot {
  /// The header of the file in `keys/` that a secret opens.
  ///
  /// Anyone who can write to the folder can change all other fields, including an envelope's key
  /// ID.
  ///
  /// - Parameter secret: as for ``unwrap(secret:)``.
  /// - Returns: nil where no file opens.
  public func header(openedBy secret: borrowing SecretBytes) -> KeyHeader? {
    for source in sources {
      guard case .wrapper(let wrapper) = source, (try? wrapper.open(secret: secret)) != nil else {
        continue
      }
      return wrapper.header
    }
    return nil
  }
}
