public import CSPP

/// The master keys of the namespaces that open.
public struct MasterKeys: ~Copyable, Sendable {
  /// A noncopyable key as an element of a dictionary.
  private final class Key: Sendable {
    let key: MasterKey
    init(_ key: consuming MasterKey) { self.key = key }
  }
  private var keys: [NamespaceID: Key] = [:]

  /// Creates an empty collection.
  public init() {}

  /// The namespaces whose key is here, in the order of their IDs.
  public var namespaces: [NamespaceID] { keys.keys.sorted() }

  /// Adds a key; returns false if it was here.
  @discardableResult
  public mutating func insert(_ key: consuming MasterKey) -> Bool {
    let id = key.namespaceID
    if keys[id] != nil { return false }
    keys[id] = Key(key)
    return true
  }

  /// Whether a namespace's key is here.
  public func contains(_ namespace: NamespaceID) -> Bool { keys[namespace] != nil }

  /// A second, independent owner of a key; nil if it is not here.
  public borrowing func copy(of namespace: NamespaceID) -> MasterKey? {
    keys[namespace].map { $0.key.copy() }
  }

  /// Passes a key to a closure.
  ///
  /// - Returns: what the closure returns; nil if the key is not here.
  public borrowing func withKey<R, E: Error>(
    of namespace: NamespaceID, _ body: (borrowing MasterKey) throws(E) -> R
  ) throws(E) -> R? {
    guard let key = keys[namespace] else { return nil }
    return try body(key.key)
  }
}
