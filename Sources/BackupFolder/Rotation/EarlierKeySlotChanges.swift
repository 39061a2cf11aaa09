public import CSPP

/// Changes of key slots in namespaces that this one follows, or that follow the same one.
extension OpenNamespace {
  /// The key slots here of which a computer removed the security key or code in an earlier namespace
  /// without knowing the rotation, or for another rotation that was merged since.
  ///
  /// They still open this one. Nothing follows from the removal here: anyone who has the master key
  /// that was given up may have written it.
  public var keySlotsRemovedEarlier: Set<KeyID> {
    let late = lateRemovals + rivalRemovals
    if late.isEmpty { return [] }
    let gone = removedKeySlots()
    return Set(
      keyWrappers().filter { key, wrapper in
        !gone.contains(key) && late.contains { $0.isGone(key, wrapper) }
      }.keys)
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

  /// The removals in each earlier namespace beyond the ends that were carried over.
  private var lateRemovals: [KnownKeySlots] {
    lineage.earlier.flatMap { older in
      let late = older.open.lateChanges(areRemovals: true)
      let all = older.open.keyWrappers()
      let known = KnownKeySlots(
        removed: late, live: all.filter { !older.open.isKeySlotRemoved($0.key) }, all: all)
      return (late.isEmpty ? [] : [known]) + older.open.lateRemovals
    }
  }

  /// The removals that other rotations knew, which were merged.
  private var rivalRemovals: [KnownKeySlots] {
    lineage.earlier.flatMap { older in
      (wasRival(older.open) ? [keySlots(knownTo: older.open)] : []) + older.open.rivalRemovals
    }
  }

  /// Whether an earlier namespace was made from one that this one was made from, too.
  private func wasRival(_ other: borrowing OpenNamespace) -> Bool {
    let sources = Set(log.links.earlier.map(\.namespaceID))
    return sources.contains(other.id)
      && other.log.links.earlier.contains { sources.contains($0.namespaceID) }
  }

  /// The key slots of which earlier namespaces hold a change beyond the ends that were carried over.
  private func lateKeySlotChanges(areRemovals: Bool) -> Set<KeyID> {
    lineage.earlier.reduce(into: []) { found, older in
      found.formUnion(older.open.lateChanges(areRemovals: areRemovals))
      found.formUnion(older.open.lateKeySlotChanges(areRemovals: areRemovals))
    }
  }

  private func lateChanges(areRemovals: Bool) -> Set<KeyID> {
    Set(
      log.keySlotChanges.filter {
        $0.isRemoval == areRemovals && log.index.isBeyond($0.operation)
      }.map(\.key))
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

  /// The key slots as a rotation, and who wrote to its namespace since, knew them.
  ///
  /// Removals in the namespaces before count up to the ends that it carried over.
  ///
  /// - Parameter made: the namespace that it made: this one, or one that is open beside it.
  /// - Returns: the key slots.
  func keySlots(knownTo made: borrowing OpenNamespace) -> KnownKeySlots {
    var removed = made.log.removedKeys
    var all = made.keyWrappers()
    let live = all.filter { !made.log.removedKeys.contains($0.key) }
    var (left, seen) = (Array(made.log.links.carriedEnds), Set([made.id]))
    while let (id, ends) = left.popLast() {
      guard seen.insert(id).inserted, let older = earlier(id) else { continue }
      var index = older.open.log.index
      index.limitCovering(to: ends)
      for change in older.open.log.keySlotChanges
      where change.isRemoval && !index.isBeyond(change.operation) {
        removed.insert(change.key)
      }
      all.merge(older.open.keyWrappers()) { own, _ in own }
      left += Array(older.open.log.links.carriedEnds)
    }
    return KnownKeySlots(removed: removed, live: live, all: all)
  }
}

/// Key slots that were removed, as far as somebody knew.
struct KnownKeySlots {
  /// Their IDs.
  let removed: Set<KeyID>
  /// The security keys among them that have no other slot.
  private let credentials: Set<[UInt8]>

  /// - Parameters:
  ///   - removed: the removed ones.
  ///   - live: the files of those that were not.
  ///   - all: the files of all that are known.
  init(removed: Set<KeyID>, live: [KeyID: KeyWrapper], all: [KeyID: KeyWrapper]) {
    self.removed = removed
    let gone = removed.compactMap { all[$0] }.compactMap { OpenNamespace.credential(of: $0) }
    credentials = Set(gone).subtracting(
      live.filter { !removed.contains($0.key) }.values
        .compactMap { OpenNamespace.credential(of: $0) })
  }

  /// Whether the security key, or the code, was removed.
  ///
  /// A rotation gives a security key another slot. So does renewing its secret, which removes the
  /// older one.
  func isGone(_ key: KeyID, _ wrapper: KeyWrapper?) -> Bool {
    guard let credential = wrapper.flatMap({ OpenNamespace.credential(of: $0) }) else {
      return removed.contains(key)
    }
    return credentials.contains(credential)
  }
}
