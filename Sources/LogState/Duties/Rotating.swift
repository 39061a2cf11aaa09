// W3: a rotation repeats what those that count say, and begins with its last operation.

public import CSPP

/// The contents of the namespace that a rotation makes.
public struct RotationPlan: Sendable {
  /// The changes of the operations before the beginning.
  public let drafts: [PlannedChange]
  /// The key slots that get a file in the new namespace, each with the file that goes into a box.
  ///
  /// The slot in use gets a file of its own. One with the credential in use gets none.
  public let slots: [KeyID: SlotFile]
  /// The namespaces that the new one takes over.
  public let takesOver: Set<NamespaceID>
  /// The namespaces that get a hint.
  public let hints: Set<NamespaceID>
  /// Operations of ordinary chains that count and are not here: the rotation waits for them.
  public let missing: Set<OperationID>
}

extension LogState {
  /// Plans a rotation of the namespaces that count.
  public func rotation() -> RotationPlan {
    var drafts: [PlannedChange] = []
    for (item, state) in items {
      // Sealed versions are left sealed, and ended wallets are their names alone.
      let kept: Set<ItemVersion> =
        if case .file = item { state.live.union(state.history) } else { state.live }
      drafts += state.ordinary.intersection(kept).map { .again($0) }
    }
    drafts += settledNames.subtracting(droppedNames).ends
    drafts += droppedNames.map { .other(.drop($0)) }
    var repeated: Set<Change> = []
    for operation in contents.operations where counting.contains(operation.namespace) {
      for change in operation.changes {
        switch change {
        case .addWriter, .retireWriter, .removeSlot, .labelSlot, .text: repeated.insert(change)
        case .add, .end, .drop, .refuse, .begin, .takenOver, .addFile, .envelope: continue
        }
      }
    }
    drafts += repeated.map { .other($0) }
    drafts += effectiveRefusals.map { .other(.refuse($0)) }
    let missing = findings().missing.filter {
      if case .ordinary(let namespace, _) = $0.key { counting.contains(namespace) } else { false }
    }
    return RotationPlan(
      drafts: drafts, slots: keySlots.compactMapValues(\.boxed), takesOver: counting.union(earlier),
      hints: counting, missing: missing.values.reduce(into: []) { $0.formUnion($1) })
  }
}
