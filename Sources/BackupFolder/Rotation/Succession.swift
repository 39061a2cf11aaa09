public import CSPP
public import SecretMemory

/// The secret of an available key slot, in memory that can be shared.
public final class KeySlotSecret: Sendable {
  /// The key slot.
  public let keyID: KeyID
  let secret: SecretBytes

  /// Takes over a secret; of a security key, its PRF output for the slot's salt.
  public init(_ keyID: KeyID, _ secret: consuming SecretBytes) {
    self.keyID = keyID
    self.secret = secret
  }
}

/// The reason why the successor cannot be opened.
public enum SuccessionObstacle: Equatable, Sendable {
  /// The successor is missing or incomplete: not yet synchronised.
  case notHere(NamespaceID)
  /// No available key slot opens it; boxes wait for these.
  case noKey(NamespaceID, boxes: [KeyID])
  /// It opens through a box, which anyone who ever had the old master key could have made; the user
  /// must compare its ID first.
  case uncompared(NamespaceID)

  /// Whether a key slot would help.
  var isMissingKey: Bool {
    if case .noKey = self { true } else { false }
  }

  /// The namespace that is not opened.
  public var namespaceID: NamespaceID {
    switch self {
    case .notHere(let id), .noKey(let id, _), .uncompared(let id): id
    }
  }
}

/// An opened namespace, and the result of following its successors.
public struct ResolvedNamespace: ~Copyable {
  /// The namespace in charge, as far as can be determined.
  public var namespace: OpenNamespace
  /// The obstacle on the way to the successor; nil if ``namespace`` is in charge.
  public let obstacle: SuccessionObstacle?
  /// The reason why the contents of another rotation are not among those of ``namespace``; nil: there is
  /// none.
  public let unreadRival: SuccessionObstacle?
  /// Whether ``namespace`` has a successor all the same.
  ///
  /// It may then only be read, since its master key was given up.
  public let isSuperseded: Bool
  /// All namespaces that are known to belong to the same backup.
  public let related: Set<NamespaceID>
  /// nil where the master key was never rotated.
  private let graph: SuccessionGraph?
  private let start: Namespace
  private let purpose: OpenNamespace.Purpose

  /// A namespace that no other follows or precedes.
  fileprivate init(
    alone namespace: consuming OpenNamespace, _ start: Namespace, _ purpose: OpenNamespace.Purpose
  ) {
    isSuperseded = false
    unreadRival = nil
    related = [namespace.id]
    self.namespace = namespace
    obstacle = nil
    graph = nil
    self.start = start
    self.purpose = purpose
  }

  fileprivate init(
    _ namespace: consuming OpenNamespace, _ obstacle: SuccessionObstacle?,
    _ unreadRival: SuccessionObstacle?, _ graph: SuccessionGraph, from start: Namespace,
    purpose: OpenNamespace.Purpose
  ) {
    self.unreadRival = unreadRival
    isSuperseded = graph.isSuperseded(namespace.id)
    related = graph.related
    self.namespace = namespace
    self.obstacle = obstacle
    self.graph = graph
    self.start = start
    self.purpose = purpose
  }

  /// Remembers what was opened, as ``Namespace/open(_:by:for:)`` does, and which namespace follows
  /// which.
  ///
  /// Reading must work where nothing can be remembered.
  public mutating func remember() {
    if purpose == .reading {
      try? namespace.remember()
      namespace.rememberKeySlots(isLocked: false)
      namespace.rememberEarlier()
    }
    try? graph?.remember(namespace.id, of: start)
  }

  /// Returns the namespace and ends this value.
  public consuming func take() -> OpenNamespace { namespace }
}

extension Namespace {
  /// Opens the namespace, and then the one in charge, which differs if the master key was rotated.
  ///
  /// From an opened namespace, `from` leads back to all that it follows. `moved` leads forward, to
  /// the lowest ID if there are several. Nothing is remembered yet: see
  /// ``ResolvedNamespace/remember()``.
  ///
  /// - Parameters:
  ///   - masterKey: from ``KeySlot/unwrap(secret:)``.
  ///   - key: the key slot that gave it, if any.
  ///   - purpose: the purpose of opening it.
  ///   - slots: the available key slots, for the boxes that wait for them.
  ///   - keys: further master keys from available key slots.
  ///   - compared: a namespace whose ID the user has compared.
  /// - Returns: the open namespace in charge, or the last one that can be reached.
  /// - Throws: ``BackupFolderError/wrongKey`` when the key is another namespace's; system errors.
  public func follow(
    _ masterKey: consuming MasterKey, by key: KeyID? = nil,
    for purpose: OpenNamespace.Purpose = .reading, slots: [KeySlotSecret] = [],
    keys: [SharedMasterKey] = [], compared: NamespaceID? = nil
  ) throws(BackupFolderError) -> ResolvedNamespace {
    guard masterKey.namespaceID == id else { throw .wrongKey }
    var opened = OpenNamespace(self, masterKey: masterKey, by: key, purpose: purpose)
    try opened.load()
    // The ordinary case ends here.
    if keys.isEmpty, opened.standsAlone {
      return ResolvedNamespace(alone: opened, self, purpose)
    }
    var graph = SuccessionGraph(from: self, slots: slots, compared: compared)
    for known in keys { graph.take(known) }
    graph.take(SharedMasterKey(opened.masterKey.copy()))
    graph.visit(opened)
    let (end, obstacle) = try graph.run(from: id)
    if end != id {
      guard let sibling = try sibling(end), let known = graph.keys[end] else {
        throw .incomplete(path: directory.path)
      }
      opened = OpenNamespace(
        sibling, masterKey: known.key.copy(), by: graph.opens(end) ? key : nil, purpose: purpose)
      opened.lineage.others = graph.others(than: end)
      try opened.load()
    } else if !graph.others(than: end).isEmpty {
      opened.lineage.others = graph.others(than: end)
      try opened.loadEarlier()
      opened.judgeFiles()
      opened.judgeLogs()
    }
    opened.lineage.rivals = graph.rivals(of: end)
    // One that is only beside the way is no obstacle for what was opened.
    let isEnd = obstacle == nil || opened.log.links.successors.isEmpty
    let unread = isEnd ? try graph.unreadRival(of: end) : nil
    opened.lineage.unread = unread?.namespaceID
    opened.health.unreadRotation = unread?.namespaceID
    return ResolvedNamespace(opened, obstacle, unread, graph, from: self, purpose: purpose)
  }
}

extension OpenNamespace {
  /// Whether neither its logs nor this computer know of a rotation.
  fileprivate var standsAlone: Bool {
    log.links.nodes.isEmpty && log.links.earlier.isEmpty && log.links.successors.isEmpty
      && localState.movedTo == nil
  }
}
