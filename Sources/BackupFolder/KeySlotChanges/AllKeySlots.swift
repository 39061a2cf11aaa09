internal import CSPP

extension OpenNamespace {
  /// The key slots, including the pending ones, for which a box waits.
  ///
  /// - Parameter evenLost: whether pending ones are among them whose file is in no earlier namespace.
  ///   Nothing opens their boxes until the file is written again.
  /// - Returns: the slots.
  /// - Throws: as ``Namespace/scan()``.
  public func allKeySlots(evenLost: Bool = false) throws(BackupFolderError) -> [KeySlot] {
    var slots = try keySlots()
    let known = namespace.rememberedKeySlots()
    let files = keyWrappers()
    for slot in keySlotsWithoutFile {
      guard let left = files[slot.keyID],
        var found = keySlot(earlier: slot.keyID, holding: left.contentDigest)
          ?? (evenLost ? KeySlot(left, file: FolderLayout.keyFilePath(slot.keyID)) : nil)
      else { continue }
      found.provedAt = known.proved[slot.keyID] ?? found.provedAt
      if slot.keyID == opening.provedBy {
        found.provedAt = found.provedAt ?? namespace.settings.clock()
      }
      found.isEnrolled = true
      // A removal in the earlier namespace came late.
      found.isRemoved = false
      found.label = log.keyLabels[slot.keyID]?.text ?? found.label
      found.isPending = true
      slots.append(found)
    }
    return slots
  }

  /// The key slot described by the file in an earlier namespace that has this ID and these
  /// contents.
  private func keySlot(earlier key: KeyID, holding content: Digest) -> KeySlot? {
    for older in lineage.earlier {
      for var slot in (try? older.open.keySlots()) ?? []
      where slot.keyID == key && slot.isConfirmed(by: [content]) { return slot }
      if let found = older.open.keySlot(earlier: key, holding: content) { return found }
    }
    return nil
  }
}
