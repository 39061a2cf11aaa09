// This folder is for the files of the log, and ProtectedFile, the shape that all our own
// files have. Callers build, seal, parse and open an operation. Which operations are live
// is not known here.

public import SecretMemory

/// What an operation says: a view of its text, which stays in guarded memory.
public struct Operation: Equatable, Sendable {
  /// The end of a chain that the writer had opened: all that `previous` reaches
  /// from there was known to it.
  public struct Seen: Hashable, Sendable {
    /// Whose chain.
    public let writerID: WriterID
    /// The counter of its last operation.
    public let counter: UInt64
    /// The digest of that operation's file.
    public let digest: Digest

    /// Names an operation.
    public init(writerID: WriterID, counter: UInt64, digest: Digest) {
      self.writerID = writerID
      self.counter = counter
      self.digest = digest
    }
  }

  /// Bytes inside the operation's text, spelled in hexadecimal; see
  /// ``Operation/decode(_:in:into:)``.
  public struct Payload: Equatable, Sendable {
    let value: JSONValue

    /// Number of bytes.
    public var count: Int { value.range.count / 2 }
  }

  /// A new master key, left for a key slot that was not at hand.
  public struct Box: Equatable, Sendable {
    /// The key slot.
    public let keyID: KeyID
    /// X25519 sealed box to its recipient key.
    public let box: [UInt8]

    /// Names a box.
    public init(keyID: KeyID, box: [UInt8]) {
      self.keyID = keyID
      self.box = box
    }
  }

  /// One change; an operation holds a list of them.
  public enum Change: Equatable, Sendable {
    /// A wallet's record now holds these WalletEntry bytes.
    case put(RecordID, entry: Payload)
    /// A wallet's record is gone.
    case remove(RecordID)
    /// A key slot was enrolled; the bytes of its file in `keys/`.
    case keyAdd(KeyID, file: Payload)
    /// A key slot that was not at hand when the master key was rotated: the bytes of
    /// its file in the `keys/` of an earlier namespace. A box waits for it.
    case keyLeft(KeyID, NamespaceID, file: Payload)
    /// A key slot was revoked; its ID never returns.
    case keyRemove(KeyID)
    /// A key slot has another name.
    case keyLabel(KeyID, label: String)
    /// The bytes of the master-key envelope.
    case envelope(file: Payload)
    /// This namespace follows another, whose master key this is: 32 bytes. `ends` are the ends of
    /// the chains that were carried over from there, where they are told.
    case from(NamespaceID, masterKey: Payload, ends: [Seen]?)
    /// Another namespace follows this one, for whom a box waits; it is all here
    /// when `last` and what that operation names as `previous` are.
    case moved(NamespaceID, boxes: [Box], last: Seen)
    /// A computer writes no more.
    case writerRetire(WriterID)
    /// Private data beside the wallets, sealed once more with the sensitive data
    /// key; see ``SensitiveData``.
    case sensitive(topic: String, sealed: Payload)
    /// A change of a kind that is not known here, by its name. Whoever shows
    /// the state should say that a newer program wrote to the folder.
    case unknown(String)
  }

  /// Unix seconds, by the writer's clock.
  public let at: UInt64
  /// The writer's name for people.
  public let writerLabel: String
  /// What the writer had opened.
  public let seen: [Seen]
  /// In the order they were made.
  public let changes: [Change]

  /// Whether ``changes`` holds a kind that is not known here.
  public var hasUnknownChanges: Bool {
    changes.contains {
      if case .unknown = $0 { true } else { false }
    }
  }

  /// Decodes bytes of a change into guarded memory that is used again and
  /// again.
  ///
  /// - Parameters:
  ///   - payload: from one of ``changes``.
  ///   - plaintext: the text from which this operation was read.
  ///   - bytes: holds the decoded bytes afterwards.
  /// - Throws: ``CSPPError/invalidField(_:)`` unless they are lower-case
  ///   hexadecimal digits.
  public static func decode(
    _ payload: Payload, in plaintext: borrowing SecretBytes, into bytes: inout SecretBytes
  ) throws(CSPPError) {
    let valid = plaintext.withBytes { text in
      Hex.decode(text.extracting(payload.value.range), into: &bytes)
    }
    if !valid { throw .invalidField("changes") }
  }

  /// Decodes bytes of a change that are no secret: a file.
  ///
  /// - Parameters:
  ///   - payload: from one of ``changes``.
  ///   - plaintext: the text from which this operation was read.
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

  /// Reads an opened operation's text.
  ///
  /// - Parameter plaintext: what ``OperationFile/open(inPlace:masterKey:)`` gave.
  /// - Throws: what concerns bytes and fields. A change of unknown kind is no
  ///   error.
  public init(parsing plaintext: borrowing SecretBytes) throws(CSPPError) {
    self = try plaintext.withBytes { (text) throws(CSPPError) in try Operation(text) }
  }
}
