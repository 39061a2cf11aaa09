public import CSPP

/// Changes of key slots in namespaces that this one follows, or that follow the same one.
extension OpenNamespace {
  /// The pending key slots that a computer removed in an earlier namespace without knowing the
  /// rotation.
  ///
  /// Their boxes still open this one. Nothing follows from the removal here: anyone who has the
  /// master key that was given up may have written it.
  public var keySlotsRemovedEarlier: Set<KeyID> {
    let here = Set(log.keyFiles.keys).union(log.pendingKeySlots.keys)
    return lateKeySlotChanges(areRemovals: true).intersection(here).subtracting(removedKeySlots())
  }

  /// The labels of key slots that a computer enrolled in an earlier namespace without knowing the
  /// rotation; they do not open this one.
  public var keySlotsAddedEarlier: [String] {
    let added = lateKeySlotChanges(areRemovals: false)
      .subtracting(lateKeySlotChanges(areRemovals: true))
      .subtracting(log.keyFiles.keys).subtracting(log.pendingKeySlots.keys)
      .subtracting(removedKeySlots())
    let credentials = Set(keyWrappers().values.compactMap { Self.credential(of: $0) })
    return earlierWrappers(of: added).filter { wrapper in
      // The same security key, which another computer gave another file.
      Self.credential(of: wrapper).map { !credentials.contains($0) } ?? true
    }.map(\.header.label).sorted()
  }

  /// The key slots of which earlier namespaces hold a change beyond the ends that were carried over.
  private func lateKeySlotChanges(areRemovals: Bool) -> Set<KeyID> {
    var found: Set<KeyID> = []
    for older in lineage.earlier {
      for change in older.open.log.keySlotChanges
      where change.isRemoval == areRemovals && older.open.log.index.isBeyond(change.operation) {
        found.insert(change.key)
      }
      found.formUnion(older.open.lateKeySlotChanges(areRemovals: areRemovals))
    }
    return found
  }

  private func earlierWrappers(of keys: Set<KeyID>) -> [KeyWrapper] {
    if keys.isEmpty { return [] }
    var found: [KeyID: KeyWrapper] = [:]
    for older in lineage.earlier {
      for (key, wrapper) in older.open.keyWrappers() where keys.contains(key) {
        found[key] = wrapper
      }
      for wrapper in older.open.earlierWrappers(of: keys) { found[wrapper.header.keyID] = wrapper }
    }
    return Array(found.values)
  }

  /// The key slots that were removed as far as a rotation knew.
  ///
  /// These are the removals in the namespace that it made, and those in the namespaces before up to
  /// the ends that it carried over.
  ///
  /// - Parameter made: the namespace that it made: this one, or one that is open beside it.
  /// - Returns: the key slots.
  func keySlotsRemoved(before made: borrowing OpenNamespace) -> Set<KeyID> {
    var found = made.log.removedKeys
    var (left, seen) = (Array(made.log.links.carriedEnds), Set([made.id]))
    while let (id, ends) = left.popLast() {
      guard seen.insert(id).inserted, let older = earlier(id) else { continue }
      var index = older.open.log.index
      index.limitCovering(to: ends)
      for change in older.open.log.keySlotChanges
      where change.isRemoval && !index.isBeyond(change.operation) {
        found.insert(change.key)
      }
      left += Array(older.open.log.links.carriedEnds)
    }
    return found
  }
}
