public import CSPP
public import SecretMemory

/// Collects the changes of one operation of a silent writer, and seals them without the master key.
public struct SealedDraft: ~Copyable {
  private var changes: ChangeWriter
  private let header: OperationHeader

  /// The number of changes so far.
  public var count: Int { changes.count }

  /// Starts an operation without changes.
  ///
  /// - Parameters:
  ///   - header: the silent writer and its operation before this one.
  ///   - at: Unix seconds, at most 2^63 - 1.
  public init(header: OperationHeader, at: UInt64) {
    self.header = header
    let digest = SealedOperation.headerDigest(of: header)
    changes = ChangeWriter(
      "\"header\":\"\(digest)\",\"at\":\(min(at, UInt64(Int64.max)))",
      size: Int(Padding.floor))
  }

  /// Adds a wallet: an entry whose mark names this writer's key.
  public mutating func put(_ record: RecordID, _ entry: RawSpan) { changes.put(record, entry) }

  /// Adds a version of a file.
  public mutating func put(_ file: FileID, _ version: RawSpan) { changes.put(file, version) }

  /// Ends this writer's own versions of a file, by the SHA-256 of their bytes.
  public mutating func end(_ file: FileID, _ digests: [Digest]) {
    let texts = digests.map { "\"\($0)\"" }.joined(separator: ",")
    changes.add(.end, "\"file_id\":\"\(file)\",\"digests\":[\(texts)]")
  }

  /// Seals and signs the operation.
  ///
  /// - Parameters:
  ///   - inbox: the public key that this writer was told when it was authorised.
  ///   - writerSecret: this writer's second secret, 32 bytes.
  ///   - signer: this writer's signing pair.
  /// - Returns: the file.
  /// - Throws: ``CSPP/CSPPError/tooLarge(limit:)`` for more than 16 MiB of text;
  ///   ``CSPP/CSPPError/invalidField(_:)`` for an inbox key of low order or a secret of another size.
  public consuming func seal(
    inbox: X25519Key, writerSecret: borrowing SecretBytes, signer: borrowing SigningPair
  ) throws(CSPPError) -> SealedOperation {
    let header = header
    return try SealedOperation.seal(
      changes.finish(Padding.powerOfTwo), header: header, inbox: inbox,
      writerSecret: writerSecret, signer: signer)
  }
}
