// What the rules read: the operations of every namespace that opens, of silent writers, and the view's files.

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

/// A refusal of what is offered.
public enum Refusal: Hashable, Sendable {
  /// All that a silent writer's key still offers.
  case key(SigningKey)
  /// All that an earlier namespace still offers.
  case namespace(NamespaceID)
}

/// The file of a key slot in a namespace.
public enum SlotFile: Hashable, Sendable {
  /// It opens the namespace by itself.
  case own
  /// It holds an own file of an earlier namespace, and the new master key in a box.
  case box
}

/// One change of an ordinary operation (docs/format.md, Changes).
public enum Change: Hashable, Sendable {
  /// Adds a version: `put`, `file-put`.
  case add(ItemVersion)
  /// Ends a version.
  case end(VersionName)
  /// Ends a version, and its object may go.
  case drop(VersionName)
  /// A silent writer: `writer-add`.
  case addWriter(SigningKey, Rights)
  /// A silent writer's word counts no more: `writer-retire`.
  case retireWriter(SigningKey)
  /// Refuses what is offered.
  case refuse(Refusal)
  /// The namespace begins, and takes these over; only those whose master key was proved.
  case begin(takesOver: Set<NamespaceID>, operations: Set<OperationID>)
  /// A hint: another namespace says that it took this one over.
  case takenOver(by: NamespaceID)
  /// A key slot has a file in this namespace.
  case addSlot(KeyID, SlotFile)
  /// A key slot was removed, in all namespaces.
  case removeSlot(KeyID)
  /// A sensitive text, by the digest of its topic and text.
  case text(Digest)
}

/// The place of an operation in a chain.
public struct OperationID: Hashable, Sendable {
  /// The writer of the chain.
  public let writer: WriterID
  /// The counter in it, from 1.
  public let counter: UInt64

  /// Creates the place.
  public init(_ writer: WriterID, _ counter: UInt64) {
    self.writer = writer
    self.counter = counter
  }
}

/// An ordinary operation, sealed with a namespace's master key.
public struct OrdinaryOperation: Sendable {
  /// Its namespace.
  public let namespace: NamespaceID
  /// Its place.
  public let id: OperationID
  /// Its changes.
  public let changes: [Change]

  /// Creates the value.
  public init(in namespace: NamespaceID, _ id: OperationID, _ changes: [Change]) {
    self.namespace = namespace
    self.id = id
    self.changes = changes
  }
}

/// An operation of a silent writer, with a signature that fits.
public struct SilentOperation: Sendable {
  /// The namespace to whose inbox it is sealed.
  public let namespace: NamespaceID
  /// The key that signed it.
  public let key: SigningKey
  /// The versions that it adds.
  public let added: [ItemVersion]
  /// The names of what it ends: made with its key, so that it cannot name anything else.
  public let ended: [VersionName]

  /// Creates the value.
  ///
  /// - Parameters:
  ///   - namespace: the namespace to whose inbox it is sealed.
  ///   - key: the key that signed it.
  ///   - added: what it adds.
  ///   - ended: files, with the digests of the bytes of versions that it ends.
  public init(
    to namespace: NamespaceID, signedBy key: SigningKey, added: [ItemVersion],
    ended: [(file: FileID, bytes: Digest)]
  ) {
    self.namespace = namespace
    self.key = key
    self.added = added
    self.ended = ended.map {
      VersionName(of: .file($0.file), by: key, copied: nil, bytes: $0.bytes)
    }
  }
}

/// A wallet's file in a namespace's view.
public struct ViewVersion: Sendable {
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

/// All that is here of a folder, in any order.
public struct LogContents: Sendable {
  /// Ordinary operations of every namespace that opens.
  public var operations: [OrdinaryOperation]
  /// Operations of silent writers.
  public var sealed: [SilentOperation]
  /// Files of the views.
  public var views: [ViewVersion]

  /// Creates the value.
  public init(
    operations: [OrdinaryOperation] = [], sealed: [SilentOperation] = [], views: [ViewVersion] = []
  ) {
    self.operations = operations
    self.sealed = sealed
    self.views = views
  }
}
