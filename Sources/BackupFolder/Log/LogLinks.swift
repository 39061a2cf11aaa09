internal import CSPP
internal import SecretMemory

/// What a namespace's log says of the namespaces before and after it: what
/// rotations of the master key wrote there.
struct LogLinks {
  /// A namespace that follows this one.
  struct Successor: Equatable {
    let id: NamespaceID
    /// Its master key, for each key slot that was not at hand.
    let boxes: [Operation.Box]
    /// The last operation there that carries over what was here.
    let last: Operation.Seen
  }

  /// Namespaces that this one follows, each once.
  private(set) var earlier: [SharedMasterKey] = []
  /// Whether this namespace says that the rotation which made it came to its end:
  /// a `from` in an operation that has seen others.
  private(set) var isSettled = false
  /// How far the chains of an earlier namespace were carried over; none for one that was left by
  /// version 0.1.0.
  ///
  /// What lies beyond was written with a master key that was given up, and covers
  /// nothing (docs/decisions/0026).
  private(set) var carriedEnds: [NamespaceID: [Operation.Seen]] = [:]
  /// Namespaces that follow this one.
  private(set) var successors: [Successor] = []
  /// The operations that say so, as places in ``LogIndex/nodes``.
  var nodes: [Int] = []
  /// Whether those were read: a cache keeps no master keys.
  private(set) var isRead = true

  init() {}

  /// What a cache keeps.
  init(unreadNodes: [Int]) {
    nodes = unreadNodes
    isRead = unreadNodes.isEmpty
  }

  /// Notes what a change says of other namespaces.
  ///
  /// - Parameters:
  ///   - change: of an operation that was opened.
  ///   - text: the operation's.
  ///   - isLater: whether the operation has seen others.
  /// - Returns: whether it says anything of them.
  /// - Throws: ``CSPPError/otherNamespace`` for a key of another namespace than
  ///   it names.
  mutating func include(
    _ change: Operation.Change, in text: borrowing SecretBytes, isLater: Bool
  ) throws(CSPPError) -> Bool {
    switch change {
    case .from(let id, let payload, let ends):
      var bytes = SecretBytes(zeroed: MasterKey.byteCount)
      try Operation.decode(payload, in: text, into: &bytes)
      let key = try MasterKey(bytes)
      guard key.namespaceID == id else { throw .otherNamespace }
      include(earlier: SharedMasterKey(key), isLater: isLater, ends: ends)
    case .moved(let id, let boxes, let last):
      include(successor: Successor(id: id, boxes: boxes, last: last))
    default: return false
    }
    return true
  }

  /// Whether this namespace says that it follows another.
  func follows(_ id: NamespaceID) -> Bool { earlier.contains { $0.namespaceID == id } }

  mutating func include(earlier key: SharedMasterKey, isLater: Bool, ends: [Operation.Seen]? = nil)
  {
    if isLater { isSettled = true }
    if let ends { carriedEnds[key.namespaceID, default: []] += ends }
    if earlier.contains(where: { $0.namespaceID == key.namespaceID }) { return }
    earlier.append(key)
  }

  mutating func include(successor: Successor) {
    if !successors.contains(successor) { successors.append(successor) }
  }

  /// Says that the operations of ``nodes`` were read again.
  mutating func setRead() { isRead = true }
}

extension OperationLog {
  /// Reads again what a cache does not keep.
  ///
  /// - Returns: `false` when an operation cannot be read: then the cache is of
  ///   no use.
  mutating func readLinks(_ namespace: Namespace, masterKey: borrowing MasterKey) -> Bool {
    if links.isRead { return true }
    var workspace = Workspace()
    var files = (try? namespace.logFolder()).flatMap { $0 }.map { LogFiles($0) }
    for node in links.nodes {
      guard
        let operation = reopen(
          node, in: &files, namespace, masterKey: masterKey, workspace: &workspace)
      else { return false }
      for change in operation.changes {
        guard
          (try? links.include(
            change, in: workspace.operation.bytes, isLater: !operation.seen.isEmpty)) != nil
        else { return false }
      }
    }
    links.setRead()
    return true
  }
}
