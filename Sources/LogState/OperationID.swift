public import CSPP

/// A row of operations, each of which names the one before it.
public enum Chain: Hashable, Sendable {
  /// The operations of one computer in a namespace.
  case ordinary(NamespaceID, WriterID)
  /// The operations of a silent writer that are sealed to a namespace's inbox.
  case silent(NamespaceID, SigningKey)

  /// The namespace that the chain belongs to.
  public var namespace: NamespaceID {
    switch self {
    case .ordinary(let namespace, _), .silent(let namespace, _): namespace
    }
  }
}

/// The name of an operation: its chain, its counter in it, and its SHA-256.
public struct OperationID: Hashable, Sendable {
  /// The chain that it claims.
  public let chain: Chain
  /// The counter in it, from 1.
  public let counter: UInt64
  /// The SHA-256 of the operation, as a writer spells its file.
  public let digest: Digest

  /// Creates the name.
  public init(_ chain: Chain, _ counter: UInt64, _ digest: Digest) {
    self.chain = chain
    self.counter = counter
    self.digest = digest
  }

  /// Hashes a part of it: the digest is evenly spread.
  public func hash(into hasher: inout Hasher) { hasher.combine(digest.words.x) }
}
