// Rule 2: one namespace is current. Which one, a computer's memory says; these are the facts for it.

public import CSPP

extension LogContents {
  /// The namespaces that one takes over.
  public func earlier(than namespace: NamespaceID) -> Set<NamespaceID> {
    var found: Set<NamespaceID> = []
    for operation in operations where operation.namespace == namespace {
      for case .begin(let taken, _) in operation.changes { found.formUnion(taken) }
    }
    return found.subtracting([namespace])
  }

  /// Whether a namespace has begun.
  public func hasBegun(_ namespace: NamespaceID) -> Bool {
    operations.contains { $0.namespace == namespace && $0.begins }
  }

  /// Whether a namespace's beginning is here, with all operations that belong to it.
  ///
  /// A folder of another CSPP program has no operations and is whole.
  public func isWhole(_ namespace: NamespaceID) -> Bool {
    let own = operations.filter { $0.namespace == namespace }
    if own.isEmpty { return views.contains { $0.namespace == namespace } }
    let here = Set(own.map(\.id))
    return own.contains { operation in
      operation.changes.contains {
        if case .begin(_, let parts) = $0 { parts.isSubset(of: here) } else { false }
      }
    }
  }

  /// The namespace that a computer takes which remembers none.
  ///
  /// - Parameters:
  ///   - own: namespaces that a key slot opens by a file of its own.
  ///   - opened: all that open.
  /// - Returns: nil if a person has to name one.
  public func newComputer(
    own: Set<NamespaceID>, opened: Set<NamespaceID>
  ) -> NamespaceID? {
    let begun = opened.filter(hasBegun)
    let taken = opened.reduce(into: Set<NamespaceID>()) { $0.formUnion(earlier(than: $1)) }
    let possible = own.intersection(begun).subtracting(taken).filter {
      isWhole($0) && begun.subtracting([$0]).isSubset(of: earlier(than: $0))
    }
    return possible.count == 1 ? possible.first : nil
  }

  /// Finds what says that it took the current namespace over.
  ///
  /// - Parameters:
  ///   - current: the current namespace.
  ///   - opened: all that open.
  ///   - refused: those of which a person said that they are not theirs.
  /// - Returns: their IDs. A person compares one before the computer moves there.
  public func successors(
    of current: NamespaceID, opened: Set<NamespaceID>, refused: Set<NamespaceID> = []
  ) -> Set<NamespaceID> {
    opened.subtracting(refused).filter { earlier(than: $0).contains(current) }
  }

  /// Whole rotations that did not know of the current one, nor the current one of them.
  public func rivals(
    of current: NamespaceID, opened: Set<NamespaceID>
  ) -> Set<NamespaceID> {
    let mine = earlier(than: current)
    let taken = opened.reduce(into: Set<NamespaceID>()) { $0.formUnion(earlier(than: $1)) }
    return opened.subtracting(mine).subtracting(taken).subtracting([current]).filter {
      let before = earlier(than: $0)
      return !before.isDisjoint(with: mine) && !before.contains(current) && isWhole($0)
    }
  }

  /// Whether nothing may be written until a person has answered.
  ///
  /// Something says that the current namespace was taken over, and nobody answered yet.
  public func mustWait(
    in current: NamespaceID, opened: Set<NamespaceID>, refused: Set<NamespaceID> = []
  ) -> Bool {
    !successors(of: current, opened: opened, refused: refused).isEmpty
      || operations.contains { operation in
        operation.namespace == current
          && operation.changes.contains {
            if case .takenOver(let by) = $0 { !refused.contains(by) } else { false }
          }
      }
  }
}

extension OrdinaryOperation {
  fileprivate var begins: Bool {
    changes.contains { if case .begin = $0 { true } else { false } }
  }
}
