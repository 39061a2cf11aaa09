public import SecretMemory

/// Who wrote an operation, and what came before it; authenticated once the
/// operation has been opened, a plain claim before.
public struct OperationHeader: Equatable, Sendable {
  /// The namespace whose master key seals the operation.
  public let namespaceID: NamespaceID
  /// The computer.
  public let writerID: WriterID
  /// 1 for the computer's first operation, then one more each time.
  public let counter: UInt64
  /// Digest of the computer's previous file; nil exactly for counter 1.
  public let previous: Digest?

  /// Describes an operation.
  ///
  /// - Parameters:
  ///   - namespaceID: the namespace.
  ///   - writerID: the computer.
  ///   - counter: from 1.
  ///   - previous: digest of the previous file, nil exactly for counter 1.
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

/// One file of `keybackup/log/`, not opened yet.
public struct OperationFile: Equatable, Sendable {
  static let format: StaticString = "keybackup-op"

  /// Who wrote it, as claimed.
  public let header: OperationHeader
  /// Digest of the file as a writer spells it: what `previous` and `seen` name.
  ///
  /// Anybody can spell a file in another way (white space, the order of fields). It holds the same
  /// operation then, which has the same digest.
  public let digest: Digest
  /// Digest of the file's own bytes: another one where it is spelled in another way.
  public let spelling: Digest
  private let file: ProtectedFile

  /// Reads a file without any key.
  ///
  /// - Parameters:
  ///   - file: the file's bytes.
  ///   - namespaceID: the namespace in whose folder the file lies; nil skips
  ///     the comparison.
  ///   - limit: largest size in bytes.
  /// - Throws: every case of ``CSPPError`` that concerns bytes and fields.
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

  /// Decrypts the operation where its file is: an import of many wallets is
  /// large, and twice as large as a copy.
  ///
  /// - Parameters:
  ///   - bytes: the file that was parsed; holds the operation's text
  ///     afterwards, in which the places that ``Operation/changes`` names lie.
  ///   - masterKey: the namespace's key.
  /// - Returns: what the operation says.
  /// - Throws: ``CSPPError/otherNamespace``,
  ///   ``CSPPError/authenticationFailed``, and what concerns fields.
  public func open(
    inPlace bytes: inout SecretBytes, masterKey: borrowing MasterKey
  ) throws(CSPPError) -> Operation {
    guard header.namespaceID == masterKey.namespaceID else { throw .otherNamespace }
    let key = masterKey.operationKey(writer: header.writerID, counter: header.counter)
    try file.open(inPlace: &bytes, key: key)
    return try Operation(parsing: bytes)
  }
}
