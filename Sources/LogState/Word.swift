internal import CSPP

/// All that some operations say together.
struct Word {
  var added: Set<ItemVersion> = []
  var ended: Set<VersionName> = []
  var dropped: Set<VersionName> = []
  /// The silent writers that were added, with all rights together; retired ones too.
  var writers: [SigningKey: Rights] = [:]
  var retired: Set<SigningKey> = []
  var slots: [NamespaceID: Set<KeyID>] = [:]
  var removedSlots: Set<KeyID> = []
  var texts: Set<Digest> = []
  var refusals: Set<Refusal> = []

  init(_ operations: [OrdinaryOperation]) {
    for operation in operations {
      for change in operation.changes { add(change, in: operation.namespace) }
    }
  }

  private mutating func add(_ change: Change, in namespace: NamespaceID) {
    switch change {
    case .add(let version): added.insert(version)
    case .end(let name): ended.insert(name)
    case .drop(let name): dropped.insert(name)
    case .addWriter(let key, let rights): writers[key, default: []].formUnion(rights)
    case .retireWriter(let key): retired.insert(key)
    case .refuse(let refusal): refusals.insert(refusal)
    case .addSlot(let slot, _): slots[namespace, default: []].insert(slot)
    case .removeSlot(let slot): removedSlots.insert(slot)
    case .text(let text): texts.insert(text)
    case .begin, .takenOver: break
    }
  }
}

extension OrdinaryOperation {
  /// The versions that it adds.
  var added: [ItemVersion] {
    changes.compactMap { if case .add(let version) = $0 { version } else { nil } }
  }
}
