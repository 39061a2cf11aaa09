internal import CSPP
internal import SecretMemory

/// Updates the files of the key slots from the log.
extension OpenNamespace {
  /// Writes lost and damaged files again, completes a rotation that was proved, and deletes the
  /// files of removed key slots.
  mutating func repairKeySlotFiles(run: borrowing WritingRun) throws(BackupFolderError) {
    if log.keyFiles.isEmpty, log.envelope == nil, log.removedKeys.isEmpty { return }
    try logOpener(run: run)
    try finishRotation(run: run)
    let slots = (try? keySlots()) ?? []
    try repairWrappers(slots, run: run)
    try repairPending(run: run)
    try repairEnvelope(slots, run: run)
    try deleteRemoved(slots, run: run)
  }

  /// Logs the file that opened the backup if the log does not have it: its writer ended before it
  /// could log it.
  private mutating func logOpener(run: borrowing WritingRun) throws(BackupFolderError) {
    guard let key = opening.keyID, !log.removedKeys.contains(key), log.keyFiles[key] == nil,
      let file = try namespace.keyFileBytes(of: key), opens(file)
    else { return }
    try publish(at: namespace.settings.clock(), run: run) { operation in
      operation.keyAdd(key, file: file.span)
    }
    log.include(keyFile: file, of: key)
  }

  private func opens(_ file: [UInt8]) -> Bool {
    guard let wrapper = try? KeyWrapper(parsing: file.span, at: id) else { return false }
    switch opening.opener {
    case .some(let opener): return (try? wrapper.open(secret: opener.secret)) != nil
    case .none: return false
    }
  }

  /// Removes the key slots that the one which opened the backup replaces: it is now proved.
  private mutating func finishRotation(run: borrowing WritingRun) throws(BackupFolderError) {
    guard let key = opening.keyID, !log.removedKeys.contains(key), log.keyFiles[key] != nil else {
      return
    }
    var replaced: Set<KeyID> = []
    var next = openersHeader?.replaces
    while let old = next, old != key, replaced.insert(old).inserted {
      next = log.keyFiles[old].flatMap {
        (try? KeyWrapper(parsing: $0.span, at: id))?.header.replaces
      }
    }
    replaced.subtract(log.removedKeys)
    // A slot that needs guards takes the place of no other kind.
    if openersHeader?.isGuarded == true { replaced = replaced.filter { isGuarded($0) } }
    if replaced.isEmpty { return }
    try logRemoval(of: replaced, among: keySlots(), run: run)
    slotFiles.finishedRotations.formUnion(replaced)
  }

  private func isGuarded(_ key: KeyID) -> Bool { keyWrappers()[key]?.header.isGuarded == true }

  private var openersHeader: KeyHeader? {
    switch opening.opener {
    case .some(let opener): opener.header
    case .none: nil
    }
  }

  // MARK: Wrappers

  /// Writes the files of key slots of which no whole copy is here.
  private mutating func repairWrappers(
    _ slots: [KeySlot], run: borrowing WritingRun
  ) throws(BackupFolderError) {
    for (key, file) in log.keyFiles.sorted(by: { $0.key < $1.key })
    where !log.removedKeys.contains(key) {
      guard let logged = try? KeyWrapper(parsing: file.span, at: id) else { continue }
      if try namespace.putBack(file, logged, unlessIn: slots, tag: run.tag) {
        slotFiles.repairs.written.append(FolderLayout.keyFilePath(key))
      }
    }
    try removeDamagedCopies(run: run)
  }

  /// Removes copies of key slots' files that hold nothing, or something else, beside the logged file.
  private mutating func removeDamagedCopies(run: borrowing WritingRun) throws(BackupFolderError) {
    guard let folder = try namespace.keyFolder() else { return }
    var buffer = FileBuffer()
    for name in try folder.names() {
      // A sync program removes its own placeholders and half downloads.
      guard SyncPlaceholder.awaited(name) == nil, let key = KeyID(claimedBy: name),
        name != FolderLayout.keyFile(key),
        let file = log.keyFiles[key], !log.removedKeys.contains(key),
        (try? namespace.keyFileBytes(of: key)) == file,
        let logged = try? KeyWrapper(parsing: file.span, at: id)
      else { continue }
      let isGone = try folder.remove(
        name, tag: run.tag, buffer: &buffer, limit: namespace.settings.limits.wrapper
      ) { bytes in
        do throws(CSPPError) {
          let copy = try KeyWrapper(parsing: bytes, at: nil)
          return copy.header.keyID == key && copy != logged
        } catch {
          return error.isDamage || error.isCutOff
        }
      }
      if isGone {
        slotFiles.repairs.deleted.append(
          "\(FolderLayout.ownFolder)/\(FolderLayout.keyFolder)/\(name)")
      }
    }
  }

  /// Writes the files of pending key slots again, where the log has them and an earlier namespace has
  /// not.
  ///
  /// Nothing else opens their boxes. A removal there that came late removes nothing.
  private mutating func repairPending(run: borrowing WritingRun) throws(BackupFolderError) {
    for slot in keySlotsWithoutFile where !slotFiles.unwanted.contains(slot.keyID) {
      guard let left = log.pendingKeySlots[slot.keyID], let older = earlier(left.namespaceID),
        let logged = try? KeyWrapper(parsing: left.file.span, at: older.open.id)
      else { continue }
      let slots = (try? older.open.namespace.scan())?.keySlots ?? []
      let place = older.open.namespace
      if try place.putBack(left.file, logged, unlessIn: slots, orBeside: true, tag: run.tag) {
        slotFiles.repairs.written.append(
          "../\(older.open.id)/" + FolderLayout.keyFilePath(slot.keyID))
      }
    }
  }

  // MARK: The envelope

  /// The key slot to which one of our envelopes belongs.
  func envelopeOwner(_ file: [UInt8]) -> KeyID? {
    (try? MasterKeyEnvelope(parsing: file.span, at: id))?.keyReference?.keyID
  }

  /// Seals the master key for the security key that opened the backup.
  ///
  /// Returns nil where no key did, or one that is among `gone`.
  func sealedForOpener(except gone: Set<KeyID>) throws(BackupFolderError) -> [UInt8]? {
    switch opening.opener {
    case .some(let opener):
      guard let key = opener.slot.keyID, !gone.contains(key), let rpID = opener.slot.rpID,
        let credentialID = opener.slot.credentialID
      else { return nil }
      return try sealEnvelope(
        for: .init(keyID: key, rpID: rpID, credentialID: credentialID),
        prfSalt: opener.slot.prfSalt, secret: opener.secret)
    case .none: return nil
    }
  }

  /// Seals the master key for a security key.
  func sealEnvelope(
    for reference: MasterKeyEnvelope.KeyReference, prfSalt: [UInt8], secret: borrowing SecretBytes
  ) throws(BackupFolderError) -> [UInt8] {
    try namespace.sealEnvelope(masterKey, for: reference, prfSalt: prfSalt, secret: secret)
  }

  /// Writes the logged envelope where there is none, a damaged one, or that of a removed key slot.
  private mutating func repairEnvelope(
    _ slots: [KeySlot], run: borrowing WritingRun
  ) throws(BackupFolderError) {
    guard let file = log.envelope?.file,
      let logged = try? MasterKeyEnvelope(parsing: file.span, at: id),
      logged.keyReference.map({ !log.removedKeys.contains($0.keyID) }) ?? true
    else { return }
    let owner = logged.keyReference?.keyID
    let present = slots.filter { $0.hasEnvelope && !$0.isRemoved }
    if present.contains(where: { $0.sources.contains(.envelope(logged)) }) { return }
    let folder = try namespace.directory.makeSubdirectory(FolderLayout.masterKeyFolder)
    // Another program's envelope in the older place is the namespace's envelope too.
    if !present.isEmpty, !folder.holds(FolderLayout.masterKeyFile),
      !slotFiles.replacesForeignEnvelope
    {
      return
    }
    let replacesForeign = slotFiles.replacesForeignEnvelope
    let removed = log.removedKeys
    let isWritten = try namespace.putBack(
      file, FolderLayout.masterKeyFile, in: folder, tag: run.tag
    ) { bytes in
      do throws(CSPPError) {
        let key = try MasterKeyEnvelope(parsing: bytes, at: nil).keyReference?.keyID
        guard let key else { return replacesForeign }
        return replacesForeign || key == owner || removed.contains(key)
      } catch {
        return error.isDamage
      }
    }
    if isWritten {
      slotFiles.repairs.written.append(
        "\(FolderLayout.masterKeyFolder)/\(FolderLayout.masterKeyFile)")
    }
  }

  // MARK: Removed key slots

  /// Deletes the files of removed key slots, whatever their names.
  ///
  /// Only a run that another slot opened deletes them. A removed slot must not be the only evidence
  /// that another slot still exists.
  private mutating func deleteRemoved(
    _ slots: [KeySlot], run: borrowing WritingRun
  ) throws(BackupFolderError) {
    let isTrusted = opening.keyID.map { !log.removedKeys.contains($0) } ?? false
    var buffer = FileBuffer()
    for slot in slots where slot.isRemoved {
      guard let key = slot.keyID, isTrusted || slotFiles.deletable.contains(key) else { continue }
      var changed: [String: Directory] = [:]
      for path in slot.files {
        guard let (folder, name) = try namespace.place(ofKeySlotFile: path) else { continue }
        let isGone = try folder.remove(
          name, tag: run.tag, buffer: &buffer, limit: namespace.settings.limits.wrapper
        ) { bytes in
          if let wrapper = try? KeyWrapper(parsing: bytes, at: nil) {
            return wrapper.header.keyID == key
          }
          return (try? MasterKeyEnvelope(parsing: bytes, at: nil))?.keyReference?.keyID == key
        }
        if isGone { slotFiles.repairs.deleted.append(path) }
        changed[folder.path] = folder
      }
      for folder in changed.values { try folder.sync() }
    }
  }
}

extension CSPPError {
  /// Whether bytes with this error are the beginning of a file.
  var isCutOff: Bool { self == .empty || self == .truncated }
}

extension Namespace {
  func makeKeyFolder() throws(BackupFolderError) -> Directory {
    try directory.makeSubdirectory(FolderLayout.ownFolder)
      .makeSubdirectory(FolderLayout.keyFolder)
  }

  /// The folder and name of a ``KeySlot``'s file.
  fileprivate func place(
    ofKeySlotFile path: String
  ) throws(BackupFolderError) -> (Directory, String)? {
    let parts = path.split(separator: "/").map(String.init)
    guard let name = parts.last else { return nil }
    var folder = directory
    for part in parts.dropLast() {
      guard let next = try folder.readableSubdirectory(part) else { return nil }
      folder = next
    }
    return (folder, name)
  }

  /// Writes the file of a key slot unless one of the given slots has it.
  ///
  /// - Parameters:
  ///   - file: the file's bytes.
  ///   - logged: the same, parsed.
  ///   - slots: the key slots that are there.
  ///   - isBeside: whether another name will do where something else has the file's own.
  ///   - tag: distinguishes this computer's temporary files.
  /// - Returns: whether it was written.
  /// - Throws: system errors.
  fileprivate func putBack(
    _ file: [UInt8], _ logged: KeyWrapper, unlessIn slots: [KeySlot],
    orBeside isBeside: Bool = false, tag: String
  ) throws(BackupFolderError) -> Bool {
    let key = logged.header.keyID
    let whole = slots.filter { $0.keyID == key }.flatMap { slot in
      zip(slot.files, slot.sources).filter { $0.1 == .wrapper(logged) }.map(\.0)
    }
    if whole.contains(FolderLayout.keyFilePath(key)) { return false }
    // A copy does, unless something else has its place.
    let isTaken = try keyFolder()?.holds(FolderLayout.keyFile(key)) ?? false
    if !whole.isEmpty, !isTaken { return false }
    let names = [FolderLayout.keyFile(key)] + (isBeside ? ["\(key)-again.json"] : [])
    for name in names {
      let isWritten = try putBack(file, name, in: makeKeyFolder(), tag: tag) { bytes in
        do throws(CSPPError) {
          return try KeyWrapper(parsing: bytes, at: nil).header.keyID == key
        } catch {
          // Beside a whole copy nothing is awaited.
          return error.isDamage || error.isCutOff && !whole.isEmpty
        }
      }
      if isWritten { return true }
    }
    return false
  }

  /// Writes a file that the log holds, replacing one whose bytes may be lost; returns whether it
  /// did.
  fileprivate func putBack(
    _ bytes: [UInt8], _ name: String, in folder: Directory, tag: String,
    mayGo: (Span<UInt8>) -> Bool
  ) throws(BackupFolderError) -> Bool {
    var buffer = FileBuffer()
    let limit = settings.limits.wrapper
    // A folder has its place. What is in it stays.
    folder.putFolderAside(name)
    if folder.holds(name),
      !folder.fileMayGo(name, buffer: &buffer, limit: limit, mayGo: mayGo)
    {
      return false
    }
    let file = try unsafe AtomicFile(
      staging: bytes.span.bytes, in: folder, tag: AtomicFile.displacedTag(tag))
    try file.settle(buffer: &buffer) { back in Digest(of: back) == Digest(of: bytes.span) }
    if try !file.place(new: name) {
      guard try file.place(replacing: name, buffer: &buffer, limit: limit, mayGo: mayGo) else {
        return false
      }
    }
    try folder.sync()
    return true
  }
}
