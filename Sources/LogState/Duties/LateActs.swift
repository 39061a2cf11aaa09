// W4: a computer repeats what its own operations in earlier namespaces say.

internal import CSPP

extension LogState {
  /// The changes that this computer's own late operations say, and no ordinary operation that counts.
  ///
  /// - Parameter own: the names of its own operations, from its memory.
  /// - Returns: the changes of each operation; a retirement comes last, in one of its own.
  public func lateActs(of own: Set<OperationID>) -> [[PlannedChange]] {
    let late = contents.operations.filter {
      own.contains($0.name) && earlier.contains($0.namespace) && !contents.isOfBeginning($0)
    }
    if late.isEmpty { return [] }
    let logged = logged
    var acts: Set<PlannedChange> = []
    var retirements: Set<SigningKey> = []
    let removals = late.reduce(into: removedSlots) { slots, operation in
      for case .removeSlot(let slot) in operation.changes { slots.insert(slot) }
    }
    for change in late.flatMap(\.changes) {
      switch change {
      case .add(let version):
        if !logged.contains(version.name), !settledNames.contains(version.name) {
          acts.insert(.again(version))
        }
      case .end(let name), .drop(let name):
        if !settledNames.contains(name) { acts.insert(.other(.end(name))) }
      case .addWriter(let key, _, let rights, _):
        if authorised[key]?.rights.isSuperset(of: rights) != true { acts.insert(.other(change)) }
      case .retireWriter(let key): if !retired.contains(key) { retirements.insert(key) }
      case .removeSlot(let slot):
        if !removedSlots.contains(slot) { acts.insert(.other(change)) }
      case .refuse(let refusal):
        if !refusals.contains(refusal), wouldCount(refusal) { acts.insert(.other(change)) }
      case .addFile(_, let slot):
        if !removals.contains(slot), keySlots[slot]?.files[current] == nil {
          acts.insert(.box(slot))
        }
      case .labelSlot(let slot, let label):
        if says(label, of: slot) { acts.insert(.other(change)) }
      case .text(let text): if !texts.contains(text) { acts.insert(.other(change)) }
      case .begin, .takenOver, .envelope: continue
      }
    }
    return [Array(acts), retirements.map { .other(.retireWriter($0)) }].filter { !$0.isEmpty }
  }

  /// Whether a refusal has an effect if it counts.
  private func wouldCount(_ refusal: Refusal) -> Bool {
    switch refusal {
    case .namespace(let namespace): earlier.contains(namespace)
    case .key(let key): writers[key] == nil
    }
  }
}
