// Rule 2: one namespace is current. Which one, a computer's memory says; these are the facts for it.

public import CSPP

/// The claims of ordinary operations on their namespace.
struct NamespaceClaims: Sendable {
  private(set) var beginnings: [Beginning] = []
  /// Everything that was taken over, but not the namespace itself.
  private(set) var takesOver: Set<NamespaceID> = []
  private(set) var hints: Set<NamespaceID> = []

  struct Beginning: Sendable { let operations: Set<OperationID> }

  mutating func insert(_ operation: OrdinaryOperation) {
    for change in operation.changes {
      switch change {
      case .begin(let taken, let operations):
        beginnings.append(Beginning(operations: operations))
        takesOver.formUnion(taken)
        takesOver.remove(operation.namespace)
      case .takenOver(let by): hints.insert(by)
      default: continue
      }
    }
  }
}

extension LogContents {
  /// The namespaces that one takes over: they are earlier than it.
  public func earlier(than namespace: NamespaceID) -> Set<NamespaceID> {
    claims[namespace]?.takesOver ?? []
  }

  /// Whether a namespace has begun.
  public func hasBegun(_ namespace: NamespaceID) -> Bool {
    claims[namespace]?.beginnings.isEmpty == false
  }

  /// Whether a namespace's beginning is here, with all operations that belong to it.
  ///
  /// A folder of another CSPP program has no operations and is whole.
  public func isWhole(_ namespace: NamespaceID) -> Bool {
    guard let claims = claims[namespace] else {
      return views.contains { $0.namespace == namespace }
    }
    return claims.beginnings.contains { $0.operations.isSubset(of: names) }
  }

  /// Whether an operation begins a namespace, or belongs to a beginning.
  func isOfBeginning(_ operation: OrdinaryOperation) -> Bool {
    operation.changes.contains { if case .begin = $0 { true } else { false } }
      || claims[operation.namespace]?.beginnings.contains {
        $0.operations.contains(operation.name)
      } == true
  }

  /// The namespaces that a hint in one names.
  public func hints(in namespace: NamespaceID) -> Set<NamespaceID> {
    claims[namespace]?.hints ?? []
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

  /// Finds what opens and says that it took a namespace over.
  public func successors(
    of namespace: NamespaceID, opened: Set<NamespaceID>
  ) -> Set<NamespaceID> {
    opened.filter { earlier(than: $0).contains(namespace) }
  }

  /// Whole rotations that did not know of the current one, nor the current one of them.
  ///
  /// A rotation can take these in, as any other whole backup, after a person has compared their IDs.
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
}
