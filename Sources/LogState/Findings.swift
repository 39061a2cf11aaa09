public import CSPP

/// Everything that is missing, doubled or gone in the chains of operations.
///
/// It stands beside the meaning, and never changes it. It holds for the namespaces that are read: the current one and the earlier ones.
public struct Findings: Hashable, Sendable {
  /// Gaps: operations that others name, and that are not here, by the chain that misses them.
  public private(set) var missing: [Chain: Set<OperationID>] = [:]
  /// Forks: different operations that claim one place, here or by name, by the chain.
  public private(set) var forks: [Chain: [UInt64: Set<OperationID>]] = [:]
  /// Operations that this computer wrote or saw, and that are not here any more.
  public private(set) var rolledBack: Set<OperationID> = []
  /// Namespaces that begin here, and miss operations that their beginning lists.
  public private(set) var halves: Set<NamespaceID> = []

  /// Whether there is nothing to tell.
  public var isEmpty: Bool {
    missing.isEmpty && forks.isEmpty && rolledBack.isEmpty && halves.isEmpty
  }

  /// Whether an ordinary chain of these namespaces misses something: a rotation waits for it.
  public func missesOrdinary(in namespaces: Set<NamespaceID>) -> Bool {
    missing.keys.contains {
      if case .ordinary(let namespace, _) = $0 { namespaces.contains(namespace) } else { false }
    }
  }

  /// Whether a silent writer's chain misses something.
  public func misses(silent keys: some Sequence<SigningKey>) -> Bool {
    let keys = Set(keys)
    return missing.keys.contains {
      if case .silent(_, let key) = $0 { keys.contains(key) } else { false }
    }
  }

  /// Looks for findings.
  ///
  /// - Parameters:
  ///   - contents: what is here.
  ///   - current: the namespace that counts.
  ///   - readable: all that are read: this one, with the earlier ones.
  ///   - memory: what the computer remembers.
  public init(
    in contents: LogContents, current: NamespaceID, readable: Set<NamespaceID>,
    _ memory: Remembered = Remembered()
  ) {
    let names = contents.names.filter { readable.contains($0.chain.namespace) }
    var named: Set<OperationID> = []
    for operation in contents.operations where readable.contains(operation.namespace) {
      if let previous = operation.previous { named.insert(previous) }
      // A namespace that was deleted leaves no gap: only its own chains are asked for.
      for name in operation.seen {
        if case .ordinary(let namespace, _) = name.chain, namespace != operation.namespace {
          continue
        }
        named.insert(name)
      }
      for case .begin(_, let operations) in operation.changes where !operations.isSubset(of: names)
      {
        halves.insert(operation.namespace)
        named.formUnion(operations)
      }
    }
    for operation in contents.sealed where readable.contains(operation.namespace) {
      if let previous = operation.previous { named.insert(previous) }
    }
    for name in named.subtracting(names) { missing[name.chain, default: []].insert(name) }

    var first: [Place: OperationID] = [:]
    for name in names.union(named) {
      let place = Place(chain: name.chain, counter: name.counter)
      let other = first.updateValue(name, forKey: place)
      guard let other else { continue }
      forks[name.chain, default: [:]][name.counter, default: [other]].formUnion([other, name])
    }

    let here = Set(names.map(\.chain.namespace)).union([current])
    rolledBack = memory.own.union(memory.seen.ends.values).filter {
      here.contains($0.chain.namespace) && readable.contains($0.chain.namespace)
        && !names.contains($0)
    }
  }
}

private struct Place: Hashable {
  let chain: Chain
  let counter: UInt64
}
