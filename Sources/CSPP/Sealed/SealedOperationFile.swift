public import SecretMemory

/// One file of `keybackup/sealed/` that has not been opened.
///
/// It has exactly one spelling: no other bytes hold the same operation. So its digest is that of
/// the file.
public struct SealedOperationFile: Equatable, Sendable {
  /// The header: a claim until the signature was verified.
  public let header: OperationHeader
  /// The digest of the file, by which other operations name this one.
  public let digest: Digest
  private let protected: [UInt8]
  /// The box in base64.
  private let boxText: [UInt8]
  private let signature: [UInt8]

  /// Parses a file without any key.
  ///
  /// - Parameters:
  ///   - file: the file's bytes.
  ///   - namespaceID: the namespace of the file's folder; nil skips the comparison.
  ///   - limit: the largest size in bytes.
  /// - Throws: ``CSPPError/tooLarge(limit:)`` before anything is read. ``CSPPError/empty`` and
  ///   ``CSPPError/truncated`` for a file that may still arrive. ``CSPPError/unsupportedVersion``.
  ///   ``CSPPError/otherSpelling`` for these fields in any other bytes. ``CSPPError/otherFormat``.
  ///   ``CSPPError/invalidField(_:)`` with `protected`, `box`, `signature` or a field of the
  ///   header. ``CSPPError/contradictsPlace(_:)``.
  public init(
    parsing file: Span<UInt8>, at namespaceID: NamespaceID?,
    limit: Int = SizeLimits.standard.sealedOperation
  ) throws(CSPPError) {
    try SizeLimits.check(file.count, limit)
    let text = unsafe file.bytes
    guard let parts = Self.parts(text) else { throw Self.misfit(text) }
    guard parts.protected.count <= SealedSpelling.protectedLimit,
      let json = Base64.decode(text.extracting(parts.protected), .url)
    else {
      throw .invalidField("protected")
    }
    header = try OperationHeader(parsing: json)
    guard json.elementsEqual(header.json.utf8) else { throw .otherSpelling }
    guard Base64.isValid(text.extracting(parts.box), .standard),
      Self.isBox(encodedCount: parts.box.count, text.extracting(parts.box))
    else { throw .invalidField("box") }
    guard let signature = Base64.decode(text.extracting(parts.signature), .standard),
      signature.count == Ed25519.signatureSize
    else { throw .invalidField("signature") }
    self.signature = signature
    protected = text.extracting(parts.protected).copied
    boxText = text.extracting(parts.box).copied
    digest = Digest(of: file)
    if let namespaceID, header.namespaceID != namespaceID {
      throw .contradictsPlace("namespace_id")
    }
  }

  /// The file's name in its writer's folder.
  public var fileName: String {
    FolderLayout.operationFile(counter: header.counter, digest: digest)
  }

  /// The reference by which other operations name this one.
  public var reference: Operation.Seen {
    Operation.Seen(writerID: header.writerID, counter: header.counter, digest: digest)
  }

  /// Verifies the signature; needs no secret.
  ///
  /// - Parameter writer: an authorised writer.
  /// - Throws: ``CSPPError/contradictsPlace(_:)`` with `writer_id` for another writer's operation;
  ///   ``CSPPError/invalidSignature``.
  public func verify(by writer: SilentWriter.Identity) throws(CSPPError) {
    guard header.writerID == writer.writerID else { throw .contradictsPlace("writer_id") }
    let message = SealedSpelling.signed(protected: protected, box: boxText)
    let holds = unsafe Ed25519.verify(
      signature, of: message.span.bytes, key: writer.signingKey.bytes)
    if !holds { throw .invalidSignature }
  }

  /// Verifies the signature, then decrypts.
  ///
  /// - Parameters:
  ///   - writer: an authorised writer.
  ///   - inbox: the namespace's inbox pair.
  ///   - writerSecret: from ``MasterKey/writerSecret(_:)`` for that writer.
  ///   - isVerified: whether the signature of this very file was verified before.
  ///   - text: afterwards the operation's text, to which ranges in the changes refer; empty after
  ///     an error.
  /// - Returns: the contents.
  /// - Throws: ``CSPPError/otherNamespace``. The errors of ``verify(by:)``.
  ///   ``CSPPError/invalidField(_:)`` with `ephemeral` for a point of low order;
  ///   ``CSPPError/authenticationFailed`` for another inbox or writer secret;
  ///   ``CSPPError/contradictsPlace(_:)`` with `header` for another header's text; and errors about
  ///   fields.
  public func open(
    by writer: SilentWriter.Identity, inbox: borrowing InboxPair,
    writerSecret: borrowing SecretBytes, isVerified: Bool = false,
    into text: inout SecretBytes
  ) throws(CSPPError) -> SealedContents {
    try openText(
      by: writer, inbox: inbox, writerSecret: writerSecret, isVerified: isVerified, into: &text)
    do throws(CSPPError) {
      return try text.withBytes { (text) throws(CSPPError) in
        try SealedContents(text, header: Digest(of: protected.span))
      }
    } catch {
      text.resize(to: 0)
      throw error
    }
  }

  /// Decrypts the text, as ``open(by:inbox:writerSecret:isVerified:into:)`` does, and does not read it.
  package func openText(
    by writer: SilentWriter.Identity, inbox: borrowing InboxPair,
    writerSecret: borrowing SecretBytes, isVerified: Bool = false,
    into text: inout SecretBytes
  ) throws(CSPPError) {
    text.resize(to: 0)
    guard header.namespaceID == inbox.namespaceID else { throw .otherNamespace }
    if !isVerified { try verify(by: writer) }
    guard header.writerID == writer.writerID else { throw .contradictsPlace("writer_id") }
    guard let box = unsafe Base64.decode(boxText.span.bytes, .standard) else {
      throw .invalidField("box")
    }
    let ephemeral = X25519Key(words: unsafe SIMD4(bigEndian: box.span.bytes))
    let openingKey = try SealedOperationKey.derive(
      secret: inbox.secret, with: ephemeral, ephemeral: ephemeral, inbox: inbox.publicKey,
      writerSecret: writerSecret, header: header, signingKey: writer.signingKey)
    try AEAD.open(
      Array(box.dropFirst(X25519.keySize)), key: openingKey, nonce: SealedSpelling.nonce,
      associatedData: protected, into: &text)
  }

  /// The digest that binds a text to this file's header.
  package var headerDigest: Digest { Digest(of: protected.span) }

  // MARK: Spelling

  private struct Parts {
    let protected: Range<Int>
    let box: Range<Int>
    let signature: Range<Int>
  }

  /// The places of the three values; nil if the bytes around them differ from the one spelling.
  private static func parts(_ text: RawSpan) -> Parts? {
    typealias Spelling = SealedSpelling
    let signatureEnd = text.byteCount - Spelling.tail.count
    let signature = signatureEnd - Spelling.signatureCount
    let boxEnd = signature - Spelling.beforeSignature.count
    guard text.holds(Spelling.head, at: 0), text.holds(Spelling.tail, at: signatureEnd),
      text.holds(Spelling.beforeSignature, at: boxEnd)
    else { return nil }
    var end = Spelling.head.count
    while end < boxEnd, text.byte(end) != UInt8(ascii: "\"") { end += 1 }
    let box = end + Spelling.beforeBox.count
    guard box <= boxEnd, text.holds(Spelling.beforeBox, at: end) else { return nil }
    return Parts(
      protected: Spelling.head.count..<end, box: box..<boxEnd, signature: signature..<signatureEnd)
  }

  /// Whether a box of this size holds a padded text: a power of two from 4 KiB to 16 MiB.
  private static func isBox(encodedCount: Int, _ box: RawSpan) -> Bool {
    var count = encodedCount / 4 * 3
    for index in 1...2 where encodedCount > index {
      if box.byte(encodedCount - index) == UInt8(ascii: "=") { count -= 1 }
    }
    let text = count - SealedSpelling.boxOverhead
    return text >= Int(Padding.floor) && text <= SealedSpelling.textLimit
      && text.nonzeroBitCount == 1
  }

  /// The reason why bytes have not the one spelling.
  private static func misfit(_ text: RawSpan) -> CSPPError {
    do throws(CSPPError) {
      let object = try JSONObject(parsing: text, duplicates: .refused)
      guard let stated = try object.value("format", in: text),
        stated.equals(SealedSpelling.format, in: text)
      else { return .otherFormat }
      guard try object.required("version", in: text).integer("version", in: text) == 1 else {
        return .unsupportedVersion
      }
      return .otherSpelling
    } catch {
      return error
    }
  }
}

extension RawSpan {
  /// The bytes, which are not secret.
  fileprivate var copied: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }

  /// Whether these bytes lie at an offset, which may be out of range.
  fileprivate func holds(_ bytes: [UInt8], at offset: Int) -> Bool {
    guard offset >= 0, bytes.count <= byteCount - offset else { return false }
    return bytes.indices.allSatisfy { byte(offset + $0) == bytes[$0] }
  }
}
