// The changes of an ordinary operation (docs/format.md, Changes), as values that the rules need.

public import CSPP

/// The kinds of versions that a silent writer may add.
public struct Rights: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt8
  /// Creates rights from bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Versions of files.
  public static let files = Rights(rawValue: 1)
  /// Wallets.
  public static let wallets = Rights(rawValue: 2)
}

/// The label of a key slot or of a silent writer.
public struct Label: Hashable, Sendable {
  /// The text.
  public let text: String
  /// The time that its author claimed: anyone who repeats a label repeats its time.
  public let at: UInt64

  /// Creates the value.
  public init(_ text: String, at: UInt64) {
    self.text = text
    self.at = at
  }
}

/// The refusal of what an earlier namespace says, or a key that does not count (rule 3).
public enum Refusal: Hashable, Sendable {
  /// A silent writer's key.
  case key(SigningKey)
  /// An earlier namespace.
  case namespace(NamespaceID)
}

/// The file of a key slot in a namespace's `keys/`.
public struct SlotFile: Hashable, Sendable {
  /// How it opens the namespace.
  public enum Kind: Hashable, Sendable {
    /// By itself.
    case own
    /// By a box: it holds an own file of an earlier namespace, and the new master key.
    case box
  }

  /// The key ID in its name.
  public let key: KeyID
  /// How it opens the namespace.
  public let kind: Kind
  /// The digest of its bytes.
  public let digest: Digest

  /// Creates the value.
  public init(_ key: KeyID, _ kind: Kind, _ digest: Digest) {
    self.key = key
    self.kind = kind
    self.digest = digest
  }
}

/// One change of an ordinary operation.
public enum Change: Hashable, Sendable {
  /// Adds a version: `put`, `file-put`.
  case add(ItemVersion)
  /// Ends a version.
  case end(VersionName)
  /// Ends a version, and its object may go.
  case drop(VersionName)
  /// A silent writer: `writer-add`.
  case addWriter(SigningKey, id: WriterID, rights: Rights, label: Label)
  /// A silent writer's word counts no more: `writer-retire`.
  case retireWriter(SigningKey)
  /// Refuses what is offered and told.
  case refuse(Refusal)
  /// The namespace begins, and takes these over; only those whose ID derives from the master key there.
  case begin(takesOver: Set<NamespaceID>, operations: Set<OperationID>)
  /// A hint: another namespace says that it took this one over.
  case takenOver(by: NamespaceID)
  /// A key slot has this file in the namespace: `key-add`.
  case addFile(SlotFile, slot: KeyID)
  /// A key slot was removed, in all namespaces: `key-remove`.
  case removeSlot(KeyID)
  /// The label of a key slot: `key-label`.
  case labelSlot(KeyID, Label)
  /// The master-key envelope of this namespace, by its digest.
  case envelope(Digest)
  /// A sensitive text, by the digest of its topic and text.
  case text(Digest)
}
