// Rule 3, for key slots: added and removed, as versions are added and ended.

public import CSPP

/// A key slot that has a file in a namespace that counts, and was not removed.
public struct SlotState: Hashable, Sendable {
  /// Its files in each namespace that counts.
  ///
  /// A slot that has several is shown by a rotation.
  public internal(set) var files: [NamespaceID: Set<SlotFile>] = [:]
  /// The file that goes into a box: that of the latest `key-add`, an own file before a box.
  public var boxed: SlotFile? { latest?.file }
  var latest: DatedFile?
}

/// The key slots of a state.
struct KeySlots: Sendable {
  private(set) var present: [KeyID: SlotState] = [:]
  private(set) var removed: Set<KeyID> = []
  private(set) var labels: [KeyID: DatedLabel] = [:]

  /// Takes a change of an operation that counts; any other change says nothing of key slots.
  mutating func take(_ change: Change, of operation: OrdinaryOperation) {
    switch change {
    case .addFile(let file, let slot):
      guard !removed.contains(slot) else { return }
      let dated = DatedFile(file: file, at: operation.at, operation: operation.name.digest)
      var known = present[slot] ?? SlotState()
      known.files[operation.namespace, default: []].insert(file)
      known.latest = known.latest.map { max($0, dated) } ?? dated
      present[slot] = known
    case .removeSlot(let slot):
      removed.insert(slot)
      present[slot] = nil
    case .labelSlot(let slot, let label):
      labels[slot] = max(labels[slot], DatedLabel(label, operation.name))
    default: return
    }
  }

  /// Whether a slot is here or was removed.
  func knows(_ slot: KeyID) -> Bool { present[slot] != nil || removed.contains(slot) }
}

/// A key slot's file with the name of its operation, in the order in which the last one goes into a box.
struct DatedFile: Hashable, Sendable {
  let file: SlotFile
  let at: UInt64
  let operation: Digest
}

extension DatedFile: Comparable {
  static func < (left: Self, right: Self) -> Bool {
    if left.file.kind != right.file.kind { return left.file.kind == .box }
    if left.at != right.at { return left.at < right.at }
    if left.operation != right.operation { return left.operation < right.operation }
    return (left.file.key, left.file.digest) < (right.file.key, right.file.digest)
  }
}
