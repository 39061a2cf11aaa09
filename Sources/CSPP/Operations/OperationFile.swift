public import SecretMemory

/// The writer and predecessor of an operation.
///
/// The header is a plain claim until the operation has been opened; that authenticates it.
public struct OperationHeader: Equatable, Sendable {
  /// The namespace whose master key seals the operation.
  public let namespaceID: NamespaceID
  /// The computer.
  public let writerID: WriterID
  /// The counter: 1 for the computer's first operation, then one more each time.
  public let counter: UInt64
  /// The digest of the computer's previous file; nil only for counter 1.
  public let previous: Digest?

  /// Creates a header for an operation.
  ///
  /// - Parameters:
  ///   - namespaceID: the namespace.
  ///   - writerID: the computer.
  ///   - counter: from 1.
  ///   - previous: the digest of the previous file; nil only for counter 1.
  /// - Throws: ``CSPPError/invalidField(_:)``.
  public init(
    namespaceID: NamespaceID, writerID: WriterID, counter: UInt64, previous: Digest?
  ) throws(CSPPError) {
    guard (1...UInt64(Int64.max)).contains(counter) else { throw .invalidField("counter") }
    guard (counter == 1) == (previous == nil) else { throw .invalidField("previous") }
    self.namespaceID = namespaceID
    self.writerID = writerID
    self.counter = counter
    self.previous = previous
  }

  init(parsing json: [UInt8]) throws(CSPPError) {
    let text = unsafe json.span.bytes
    let object = try JSONObject(parsing: text, duplicates: .refused)
    try self.init(
      namespaceID: object.required("namespace_id", in: text).identifier("namespace_id", in: text),
      writerID: object.required("writer_id", in: text).identifier("writer_id", in: text),
      counter: object.required("counter", in: text).integer("counter", in: text),
      previous: object.value("previous", in: text)?.identifier("previous", in: text))
  }

  var json: String {
    JSONText.object([
      ("namespace_id", JSONText.quoted(namespaceID.hex)),
      ("writer_id", JSONText.quoted(writerID.hex)),
      ("counter", String(counter)),
      ("previous", (previous?.hex).map(JSONText.quoted)),
    ])
  }
}

/// One file of `keybackup/log/` that has not been opened.
public struct OperationFile: Equatable, Sendable {
  static let format: StaticString = "keybackup-op"

  /// The header, as claimed.
  public let header: OperationHeader
  /// The digest of the file as a writer spells it, which `previous` and `seen` name.
  ///
  /// Anyone can spell a file in another way (white space, the order of fields). It then holds the
  /// same operation with the same digest.
  public let digest: Digest
  /// The digest of the file's own bytes, which differs if the file is spelled in another way.
  public let spelling: Digest
  private let file: ProtectedFile

  /// Parses a file without any key.
  ///
  /// - Parameters:
  ///   - file: the file's bytes.
  ///   - namespaceID: the namespace of the file's folder; nil skips the comparison.
  ///   - limit: the largest size in bytes.
  /// - Throws: every case of ``CSPPError`` about bytes and fields.
  public init(
    parsing file: Span<UInt8>, at namespaceID: NamespaceID?,
    limit: Int = SizeLimits.standard.operation
  ) throws(CSPPError) {
    self.file = try ProtectedFile(parsing: file, format: Self.format, limit: limit)
    header = try OperationHeader(parsing: self.file.header)
    if let namespaceID, header.namespaceID != namespaceID {
      throw .contradictsPlace("namespace_id")
    }
    spelling = Digest(of: file)
    digest = self.file.digest(of: file, format: Self.format) ?? spelling
  }

  /// The file's name in its writer's folder.
  public var fileName: String {
    FolderLayout.operationFile(counter: header.counter, digest: digest)
  }

  /// Decrypts the operation in the file's own memory, since an import of many wallets is large and
  /// a copy would double it.
  ///
  /// - Parameters:
  ///   - bytes: the parsed file; afterwards the operation's text, to which the ranges in
  ///     ``Operation/changes`` refer.
  ///   - masterKey: the namespace's key.
  /// - Returns: the parsed operation.
  /// - Throws: ``CSPPError/otherNamespace``, ``CSPPError/authenticationFailed``, and errors about
  ///   fields.
  public func open(
    inPlace bytes: inout SecretBytes, masterKey: borrowing MasterKey
  ) throws(CSPPError) -> Operation {
    try decrypt(inPlace: &bytes, masterKey: masterKey)
    return try Operation(parsing: bytes)
  }

  /// Decrypts the operation in the file's own memory, and does not read its text.
  ///
  /// - Throws: ``CSPPError/otherNamespace``, ``CSPPError/authenticationFailed``.
  package func decrypt(
    inPlace bytes: inout SecretBytes, masterKey: borrowing MasterKey
  ) throws(CSPPError) {
    guard header.namespaceID == masterKey.namespaceID else { throw .otherNamespace }
    let key = masterKey.operationKey(writer: header.writerID, counter: header.counter)
    try file.open(inPlace: &bytes, key: key)
  }
}
