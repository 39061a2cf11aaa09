internal import CSPP
internal import SecretMemory

/// The links from a namespace's log to the namespaces before and after it, written by rotations of
/// the master key.
struct LogLinks {
  /// A successor of this namespace.
  struct Successor: Equatable {
    let id: NamespaceID
    /// Its master key, sealed for each pending key slot.
    let boxes: [Operation.Box]
    /// The last operation there that carries over contents of this namespace.
    let last: Operation.Seen
  }

  /// The namespaces that this one follows, each once.
  private(set) var earlier: [SharedMasterKey] = []
  /// Whether this namespace says that the rotation which created it has finished: a `from` in an
  /// operation that has seen others.
  private(set) var isSettled = false
  /// The ends up to which the chains of an earlier namespace were carried over; none if version
  /// 0.1.0 left it.
  ///
  /// Operations beyond them were written with a master key that was given up, and cover nothing
  /// (docs/decisions/0026).
  private(set) var carriedEnds: [NamespaceID: [Operation.Seen]] = [:]
  /// The successors of this namespace.
  private(set) var successors: [Successor] = []
  /// The operations that contain these links, as indices in ``LogIndex/nodes``.
  var nodes: [Int] = []

  /// Adds the links that a change contains.
  ///
  /// - Parameters:
  ///   - change: a change of an opened operation.
  ///   - text: the operation's text.
  ///   - isLater: whether the operation has seen others.
  /// - Returns: whether the change contains a link.
  /// - Throws: ``CSPPError/otherNamespace`` if the key belongs to another namespace than the change
  ///   names.
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
}
