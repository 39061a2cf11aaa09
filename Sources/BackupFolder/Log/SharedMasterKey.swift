public import CSPP

/// A master key obtained without a key slot, in memory that can be shared.
public final class SharedMasterKey: Sendable {
  let key: MasterKey

  /// Takes over a key.
  public init(_ key: consuming MasterKey) { self.key = key }

  /// A second, independent owner of the same key.
  public func copy() -> MasterKey { key.copy() }

  /// The namespace that it opens.
  public var namespaceID: NamespaceID { key.namespaceID }
}
