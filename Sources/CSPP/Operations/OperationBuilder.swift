public import SecretMemory

/// An operation's sealed file, ready to be written.
public struct SealedOperation: ~Copyable, Sendable {
  /// The header: writer and previous operation.
  public let header: OperationHeader
  /// The file's bytes: not secret, but still in the memory where a secret was sealed.
  public let file: SecretBytes
  /// The file's digest.
  public let digest: Digest

  /// The file's name in its writer's folder.
  public var fileName: String {
    FolderLayout.operationFile(counter: header.counter, digest: digest)
  }

  /// The reference by which later operations name this one.
  public var seen: Operation.Seen {
    Operation.Seen(writerID: header.writerID, counter: header.counter, digest: digest)
  }
}

extension SealedOperation {
  /// Seals an operation's text.
  ///
  /// - Throws: ``CSPPError/otherNamespace``, ``CSPPError/tooLarge(limit:)``.
  package static func seal(
    _ text: consuming SecretBytes, header: OperationHeader, masterKey: borrowing MasterKey,
    limit: Int
  ) throws(CSPPError) -> SealedOperation {
    guard header.namespaceID == masterKey.namespaceID else { throw .otherNamespace }
    let key = masterKey.operationKey(writer: header.writerID, counter: header.counter)
    let file = try ProtectedFile.seal(
      text, header: header.json, format: OperationFile.format.description, key: key)
    try SizeLimits.check(file.count, limit)
    let digest = file.withBytes { Digest(of: $0) }
    return SealedOperation(header: header, file: file, digest: digest)
  }
}

/// Collects the changes of one operation in guarded memory and seals them.
public struct OperationBuilder: ~Copyable {
  private var writer: SecretWriter
  private var files: Set<FileID> = []
  private var hasInlineFile = false

  /// The number of changes so far.
  public private(set) var count = 0

  /// Starts an operation without changes.
  ///
  /// - Parameters:
  ///   - at: Unix seconds, at most 2^63 - 1.
  ///   - writerLabel: this computer's name for people.
  ///   - seen: the chains that were opened in this run.
  ///   - seenSealed: every unbroken piece of the silent writers' chains that is taken into
  ///     account.
  ///   - size: the expected size of the file in bytes. The memory is allocated once and serves the
  ///     text and the file.
  public init(
    at: UInt64, writerLabel: String, seen: [Operation.Seen],
    seenSealed: [Operation.SealedPiece] = [],
    size: Int = 4096
  ) {
    var fields = "\"at\":\(JSONText.time(at)),\"writer_label\":\(JSONText.quoted(writerLabel)),"
    fields += "\"seen\":\(seen.json)"
    // Without silent writers, the text is the one of version 0.1.
    if !seenSealed.isEmpty { fields += ",\"seen_sealed\":\(seenSealed.json)" }
    self.init(fields: fields, size: size)
  }

  /// Starts a text whose members before the changes are `fields`.
  init(fields: String, size: Int) {
    writer = SecretWriter(capacity: size)
    writer.raw("{\(fields),\"changes\":[")
  }

  /// The size in bytes of the file that `seal(header:masterKey:)` would make now, at most 512 too
  /// large.
  ///
  /// Callers keep it below ``SizeLimits/operation`` by starting another operation.
  public var fileSize: Int {
    Self.fileSize(hasInlineFile ? Int(Padding.padme(UInt64(writer.count + 2))) : writer.count)
  }

  /// The number of bytes that a `put` of such an entry adds to the file, rounded up.
  public static func fileSize(ofEntry count: Int) -> Int { (count * 2 + 128) / 3 * 4 + 4 }

  private static func fileSize(_ plaintext: Int) -> Int {
    Base64.encodedSize(plaintext + 2 + ChaCha20Poly1305.tagSize, .standard) + 768
  }

  /// Adds a `put`: the wallet's record now holds these WalletEntry bytes.
  public mutating func put(_ record: RecordID, entry: borrowing SecretBytes) {
    entry.withBytes { put(record, entry: $0) }
  }

  /// Adds a `put`: the wallet's record now holds these WalletEntry bytes.
  public mutating func put(_ record: RecordID, entry: RawSpan) {
    start(.put, "\"record_id\":\"\(record)\",\"entry\":\"")
    writer.hex(entry)
    writer.raw("\"}}")
  }

  /// Adds the removal of a wallet's record.
  public mutating func remove(_ record: RecordID) {
    add(.remove, "\"record_id\":\"\(record)\"")
  }

  /// Adds the enrolment of a key slot.
  public mutating func keyAdd(_ key: KeyID, file: Span<UInt8>) {
    start(.keyAdd, "\"key_id\":\"\(key)\",\"file\":\"")
    unsafe writer.hex(file.bytes)
    writer.raw("\"}}")
  }

  /// Adds a pending key slot, which has not been used since the master key was rotated.
  ///
  /// - Parameters:
  ///   - key: the key slot.
  ///   - namespace: the namespace of its file.
  ///   - file: the file.
  public mutating func keyLeft(_ key: KeyID, in namespace: NamespaceID, file: Span<UInt8>) {
    start(.keyLeft, "\"key_id\":\"\(key)\",\"namespace_id\":\"\(namespace)\",\"file\":\"")
    unsafe writer.hex(file.bytes)
    writer.raw("\"}}")
  }

  /// Adds the removal of a key slot.
  public mutating func keyRemove(_ key: KeyID) { add(.keyRemove, "\"key_id\":\"\(key)\"") }

  /// Adds a new name of a key slot.
  public mutating func keyLabel(_ key: KeyID, label: String) {
    add(.keyLabel, "\"key_id\":\"\(key)\",\"label\":\(JSONText.quoted(label))")
  }

  /// Adds the bytes of the master-key envelope.
  public mutating func envelope(file: Span<UInt8>) {
    start(.envelope, "\"file\":\"")
    unsafe writer.hex(file.bytes)
    writer.raw("\"}}")
  }

  /// Adds the link to an earlier namespace.
  ///
  /// - Parameters:
  ///   - earlier: the earlier namespace's master key.
  ///   - ends: the ends of the chains that were carried over from there; nil to state none.
  public mutating func from(_ earlier: borrowing MasterKey, ends: [Operation.Seen]? = nil) {
    start(.from, "\"namespace_id\":\"\(earlier.namespaceID)\",\"master_key\":\"")
    earlier.withBytes { writer.hex($0) }
    let told = ends.map { ",\"ends\":\($0.json)" } ?? ""
    writer.raw("\"\(told)}}")
  }

  /// Adds the link to a successor.
  ///
  /// - Parameters:
  ///   - namespace: its ID.
  ///   - boxes: its master key, for each pending key slot.
  ///   - last: the last operation there that carries over contents of this namespace.
  public mutating func moved(
    to namespace: NamespaceID, boxes: [Operation.Box], last: Operation.Seen
  ) {
    let texts = boxes.map {
      "{\"key_id\":\"\($0.keyID)\",\"box\":\"\(Hex.string($0.box))\"}"
    }
    add(
      .moved,
      "\"namespace_id\":\"\(namespace)\",\"boxes\":[\(texts.joined(separator: ","))],\"last\":"
        + last.json)
  }

  /// Adds the retirement of a computer, which writes no more.
  public mutating func writerRetire(_ id: WriterID) {
    add(.writerRetire, "\"writer_id\":\"\(id)\"")
  }

  /// Adds private data beside the wallets, from ``SensitiveData/seal(_:topic:masterKey:)``.
  public mutating func sensitive(topic: String, sealed: Span<UInt8>) {
    start(.sensitive, "\"topic\":\(JSONText.quoted(topic)),\"sealed\":\"")
    unsafe writer.hex(sealed.bytes)
    writer.raw("\"}}")
  }

  /// Adds the authorisation of a silent writer.
  ///
  /// - Throws: ``CSPPError/invalidField(_:)`` for a signing key that no signer can have.
  public mutating func writerAdd(_ writer: SilentWriter) throws(CSPPError) {
    guard writer.signingKey.isValid else { throw .invalidField("signing_key") }
    add(.writerAdd, writer.members)
  }

  /// Adds the retirement of a silent writer's key, under every writer ID that it has.
  public mutating func silentWriterRetire(_ id: WriterID, _ key: SigningKey) {
    add(.writerRetire, "\"writer_id\":\"\(id)\",\"signing_key\":\"\(key)\"")
  }

  /// Adds a version of a file.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - name: its name.
  ///   - version: its contents.
  ///   - replaces: the operations whose version of this file it replaces.
  ///   - origin: the operation that first held the version, if it is not this one.
  /// - Throws: ``CSPPError/duplicateField(_:)`` if this operation has a version of the file.
  public mutating func filePut(
    _ file: FileID, name: PathComponent, version: borrowing NewFileVersion, replaces: [Digest],
    origin: FileOrigin? = nil
  ) throws(CSPPError) {
    guard files.insert(file).inserted else { throw .duplicateField("file_id") }
    let (name, origin) = (JSONText.quoted(name.text), origin?.members ?? "")
    start(.filePut, "\"file_id\":\"\(file)\",\"name\":\(name),\"version\":")
    version.write(to: &writer)
    writer.raw("\(origin),\"replaces\":\(replaces.json)}}")
    hasInlineFile = hasInlineFile || version.isInline
  }

  /// Ends a conflict of a file's versions without a new version.
  public mutating func fileSettle(_ file: FileID, replaces: [Digest]) {
    add(.fileSettle, "\"file_id\":\"\(file)\",\"replaces\":\(replaces.json)")
  }

  /// Removes a file.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - replaces: the operations whose version of this file it removes.
  public mutating func fileRemove(_ file: FileID, replaces: [Digest]) {
    add(.fileRemove, "\"file_id\":\"\(file)\",\"replaces\":\(replaces.json)")
  }

  /// Gives up old versions of a file.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - versions: the operations whose version of this file nobody needs any more.
  public mutating func fileDrop(_ file: FileID, versions: [Digest]) {
    add(.fileDrop, "\"file_id\":\"\(file)\",\"versions\":\(versions.json)")
  }

  /// Ends the text, and pads it with blanks.
  ///
  /// - Parameter padded: the new size in bytes for the text's size.
  /// - Returns: the text.
  consuming func finish(padded: (Int) -> Int) -> SecretBytes {
    writer.raw("]}")
    let blanks = padded(writer.count) - writer.count
    if blanks > 0 {
      unsafe writer.grow(blanks) { target in
        unsafe target.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: " "))
      }
    }
    return writer.finish()
  }

  /// Seals the operation and consumes the builder.
  ///
  /// - Parameters:
  ///   - header: the writer and the previous operation.
  ///   - masterKey: the namespace's key.
  ///   - limit: the largest file in bytes.
  /// - Returns: the file.
  /// - Throws: ``CSPPError/otherNamespace``, ``CSPPError/tooLarge(limit:)``.
  public consuming func seal(
    header: OperationHeader, masterKey: borrowing MasterKey,
    limit: Int = SizeLimits.standard.operation
  ) throws(CSPPError) -> SealedOperation {
    let isPadded = hasInlineFile
    return try SealedOperation.seal(
      finish { isPadded ? Int(Padding.padme(UInt64($0))) : $0 }, header: header,
      masterKey: masterKey, limit: limit)
  }

  private mutating func start(_ kind: Operation.Change.Kind, _ fields: String) {
    writer.raw((count == 0 ? "{\"" : ",{\"") + kind.rawValue + "\":{" + fields)
    count += 1
  }

  private mutating func add(_ kind: Operation.Change.Kind, _ fields: String) {
    start(kind, fields)
    writer.raw("}}")
  }
}

extension Array where Element == Operation.Seen {
  fileprivate var json: String { "[\(map(\.json).joined(separator: ","))]" }
}

extension Array where Element == Operation.SealedPiece {
  fileprivate var json: String { "[\(map(\.json).joined(separator: ","))]" }
}

extension Array where Element == Digest {
  fileprivate var json: String { "[\(map { "\"\($0)\"" }.joined(separator: ","))]" }
}

extension Operation.Seen {
  var json: String { JSONText.object(fields) }

  fileprivate var fields: [(String, String?)] {
    [
      ("writer_id", JSONText.quoted(writerID.hex)), ("counter", String(counter)),
      ("sha256", JSONText.quoted(digest.hex)),
    ]
  }
}

extension Operation.SealedPiece {
  fileprivate var json: String { JSONText.object(end.fields + [("first", String(first))]) }
}
