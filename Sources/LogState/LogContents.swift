// What the rules read: the operations of all namespaces that open, those of silent writers, and the view's files.

public import CSPP

/// An ordinary operation, sealed with a namespace's master key.
public struct OrdinaryOperation: Sendable {
  /// Its namespace.
  public let namespace: NamespaceID
  /// Its name.
  public let name: OperationID
  /// The name of its writer's operation before it.
  public let previous: OperationID?
  /// The last operations of chains that its writer knew.
  public let seen: [OperationID]
  /// The time that its writer claimed.
  ///
  /// It decides nothing but which key file goes into a box.
  public let at: UInt64
  /// Its changes.
  public let changes: [Change]

  /// Creates the value.
  ///
  /// - Parameters:
  ///   - namespace: its namespace.
  ///   - writer: its writer.
  ///   - counter: its counter in the writer's chain.
  ///   - digest: its SHA-256.
  ///   - previous: the SHA-256 of the one before it.
  ///   - seen: the last operations of chains that its writer knew.
  ///   - at: the time that its writer claimed.
  ///   - changes: its changes.
  public init(
    in namespace: NamespaceID, by writer: WriterID, _ counter: UInt64, _ digest: Digest,
    after previous: Digest? = nil, seen: [OperationID] = [], at: UInt64 = 0, _ changes: [Change]
  ) {
    let chain = Chain.ordinary(namespace, writer)
    self.namespace = namespace
    name = OperationID(chain, counter, digest)
    self.previous = previous.map { OperationID(chain, counter &- 1, $0) }
    self.seen = seen
    self.at = at
    self.changes = changes
  }
}

/// An operation of a silent writer, with a signature that fits.
public struct SilentOperation: Sendable {
  /// The namespace to whose inbox it is sealed.
  public let namespace: NamespaceID
  /// The key that signed it.
  public let key: SigningKey
  /// Its name.
  public let name: OperationID
  /// The name of the key's operation before it.
  public let previous: OperationID?
  /// The versions that it adds.
  public let added: [ItemVersion]
  /// The names of what it ends: made with its key, so that it cannot name anything else.
  public let ended: [VersionName]

  /// Creates the value.
  ///
  /// - Parameters:
  ///   - namespace: the namespace to whose inbox it is sealed.
  ///   - key: the key that signed it.
  ///   - counter: its counter in the key's chain.
  ///   - digest: its SHA-256.
  ///   - previous: the SHA-256 of the one before it.
  ///   - added: what it adds.
  ///   - ended: files, with the digests of the bytes of versions that it ends.
  public init(
    to namespace: NamespaceID, signedBy key: SigningKey, _ counter: UInt64, _ digest: Digest,
    after previous: Digest? = nil, added: [ItemVersion], ended: [(file: FileID, bytes: Digest)]
  ) {
    let chain = Chain.silent(namespace, key)
    self.namespace = namespace
    self.key = key
    name = OperationID(chain, counter, digest)
    self.previous = previous.map { OperationID(chain, counter &- 1, $0) }
    self.added = added
    self.ended = ended.map {
      VersionName(of: .file($0.file), by: key, copied: nil, bytes: $0.bytes)
    }
  }
}

/// A wallet's file in a namespace's view, or a conflict copy of one.
public struct ViewVersion: Hashable, Sendable {
  /// Its namespace.
  public let namespace: NamespaceID
  /// The version that it holds.
  public let version: ItemVersion

  /// Creates the value.
  public init(in namespace: NamespaceID, _ version: ItemVersion) {
    self.namespace = namespace
    self.version = version
  }
}

/// One thing that is here: an operation of either kind, or a file of a view.
public enum LogEntry: Sendable {
  /// An ordinary operation.
  case operation(OrdinaryOperation)
  /// An operation of a silent writer.
  case sealed(SilentOperation)
  /// A file of a view.
  case view(ViewVersion)
}

/// All that is here of a folder.
///
/// The order says nothing, and what is here twice counts once.
public struct LogContents: Sendable {
  /// Ordinary operations of every namespace that opens.
  public private(set) var operations: [OrdinaryOperation] = []
  /// Operations of silent writers.
  public private(set) var sealed: [SilentOperation] = []
  /// Files of the views.
  public private(set) var views: Set<ViewVersion> = []
  /// The names of all operations.
  public private(set) var names: Set<OperationID> = []
  /// The claims of ordinary operations on their namespaces (rule 2).
  private(set) var claims: [NamespaceID: NamespaceClaims] = [:]

  /// Creates an empty value.
  public init() {}

  /// Creates the value.
  public init(_ entries: some Sequence<LogEntry>) {
    for entry in entries { insert(entry) }
  }

  /// Adds what has arrived; returns false if it was here.
  @discardableResult
  public mutating func insert(_ entry: LogEntry) -> Bool {
    switch entry {
    case .operation(let operation):
      guard names.insert(operation.name).inserted else { return false }
      operations.append(operation)
      claims[operation.namespace, default: NamespaceClaims()].insert(operation)
    case .sealed(let operation):
      guard names.insert(operation.name).inserted else { return false }
      sealed.append(operation)
    case .view(let file):
      return views.insert(file).inserted
    }
    return true
  }
}
