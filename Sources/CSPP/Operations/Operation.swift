// This folder is for the files of the log, and for ProtectedFile, the shape that all our own files
// have. Callers build, seal, parse and open an operation. Which operations are live is not known
// here.

public import SecretMemory

/// A parsed operation: a view of its text, which stays in guarded memory.
public struct Operation: Equatable, Sendable {
  /// The end of a chain that the writer had opened.
  ///
  /// The writer knew every operation that `previous` reaches from there.
  public struct Seen: Hashable, Sendable {
    /// The writer of the chain.
    public let writerID: WriterID
    /// The counter of its last operation.
    public let counter: UInt64
    /// The digest of that operation's file.
    public let digest: Digest

    /// Creates a reference to an operation.
    public init(writerID: WriterID, counter: UInt64, digest: Digest) {
      self.writerID = writerID
      self.counter = counter
      self.digest = digest
    }
  }

  /// An unbroken piece of a silent writer's chain that an ordinary operation takes into account.
  public struct SealedPiece: Hashable, Sendable {
    /// Its last operation.
    public let end: Seen
    /// The counter of its first operation; nothing before it is taken into account.
    public let first: UInt64

    /// Creates a piece; `first` is at least 1 and at most the counter of `end`.
    public init(end: Seen, first: UInt64) {
      self.end = end
      self.first = first
    }
  }

  /// Bytes in hexadecimal inside the operation's text; see ``Operation/decode(_:in:into:)``.
  public struct Payload: Equatable, Sendable {
    let value: JSONValue

    /// The number of bytes.
    public var count: Int { value.range.count / 2 }
  }

  /// A new master key, sealed for a key slot that was not plugged in.
  public struct Box: Equatable, Sendable {
    /// The key slot.
    public let keyID: KeyID
    /// The X25519 sealed box to its recipient key.
    public let box: [UInt8]

    /// Creates a box for a key slot.
    public init(keyID: KeyID, box: [UInt8]) {
      self.keyID = keyID
      self.box = box
    }
  }

  /// One change; an operation holds a list of them.
  public enum Change: Equatable, Sendable {
    /// A wallet's record now holds these WalletEntry bytes.
    case put(RecordID, entry: Payload)
    /// A wallet's record was removed.
    case remove(RecordID)
    /// A key slot was enrolled; the payload is its file in `keys/`.
    case keyAdd(KeyID, file: Payload)
    /// A key slot was not plugged in when the master key was rotated, and a box waits for it.
    ///
    /// The payload is its file in the `keys/` of an earlier namespace.
    case keyLeft(KeyID, NamespaceID, file: Payload)
    /// A key slot was removed; its ID never returns.
    case keyRemove(KeyID)
    /// A key slot was renamed.
    case keyLabel(KeyID, label: String)
    /// The bytes of the master-key envelope.
    case envelope(file: Payload)
    /// This namespace follows another, whose master key (32 bytes) is the payload.
    ///
    /// `ends` are the ends of the chains that were carried over from there, if stated.
    case from(NamespaceID, masterKey: Payload, ends: [Seen]?)
    /// A successor follows this namespace, with boxes for pending key slots.
    ///
    /// It is complete here when `last` and the operations that it names through `previous` are
    /// here.
    case moved(NamespaceID, boxes: [Box], last: Seen)
    /// A computer was retired: it writes no more.
    case writerRetire(WriterID)
    /// A silent writer was authorised.
    case writerAdd(SilentWriter)
    /// A silent writer's key was retired, under every writer ID that it has.
    case silentWriterRetire(WriterID, SigningKey)
    /// A change of a file's versions.
    case file(FileChange)
    /// Private data beside the wallets, sealed once more with the sensitive data key; see
    /// ``SensitiveData``.
    case sensitive(topic: String, sealed: Payload)
    /// A change of a kind that this program does not know, by its name.
    ///
    /// In an ordinary operation it may also be one of the kinds for files and silent writers with
    /// an error in it, or `seen_sealed` with one. In a sealed one it is each that cannot count.
    ///
    /// A program that shows the state should say that a newer program wrote to the folder.
    case unknown(String)
  }

  /// The time in Unix seconds, by the writer's clock.
  public let at: UInt64
  /// The writer's name for people.
  public let writerLabel: String
  /// The ends of the chains that the writer had opened.
  public let seen: [Seen]
  /// Every unbroken piece of the silent writers' chains that this operation takes into account.
  public let seenSealed: [SealedPiece]
  /// The changes in the order they were made; last an unreadable `seen_sealed`, as unknown.
  public let changes: [Change]

  /// Whether ``changes`` contains an unknown kind.
  public var hasUnknownChanges: Bool {
    changes.contains {
      if case .unknown = $0 { true } else { false }
    }
  }

  /// Decodes a change's bytes into guarded memory that is reused.
  ///
  /// - Parameters:
  ///   - payload: from one of ``changes``.
  ///   - plaintext: the text from which this operation was parsed.
  ///   - bytes: receives the decoded bytes.
  /// - Throws: ``CSPPError/invalidField(_:)`` unless they are lower-case hexadecimal digits.
  public static func decode(
    _ payload: Payload, in plaintext: borrowing SecretBytes, into bytes: inout SecretBytes
  ) throws(CSPPError) {
    let valid = plaintext.withBytes { text in
      Hex.decode(text.extracting(payload.value.range), into: &bytes)
    }
    if !valid { throw .invalidField("changes") }
  }

  /// Decodes a change's bytes that are not secret, such as a file.
  ///
  /// - Parameters:
  ///   - payload: from one of ``changes``.
  ///   - plaintext: the text from which this operation was parsed.
  /// - Returns: the bytes.
  /// - Throws: ``CSPPError/invalidField(_:)`` unless they are lower-case
  ///   hexadecimal digits.
  public static func file(
    _ payload: Payload, in plaintext: borrowing SecretBytes
  ) throws(CSPPError) -> [UInt8] {
    try plaintext.withBytes { (text) throws(CSPPError) in
      try payload.value.hex("file", in: text)
    }
  }

  /// Parses an opened operation's text.
  ///
  /// - Parameter plaintext: the result of ``OperationFile/open(inPlace:masterKey:)``.
  /// - Throws: errors about bytes and fields. A change of unknown kind is no error.
  public init(parsing plaintext: borrowing SecretBytes) throws(CSPPError) {
    self = try plaintext.withBytes { (text) throws(CSPPError) in try Operation(text) }
  }
}
