public import SecretMemory

/// Collects the changes of one sealed operation and seals them, without the master key.
public struct SealedOperationBuilder: ~Copyable {
  private var changes: OperationBuilder
  private let header: OperationHeader

  /// The number of changes so far.
  public var count: Int { changes.count }

  /// Starts an operation without changes.
  ///
  /// - Parameters:
  ///   - header: the silent writer and its previous operation.
  ///   - at: Unix seconds, at most 2^63 - 1.
  ///   - after: the operation that authorised this writer.
  public init(header: OperationHeader, at: UInt64, after: Operation.Seen) {
    self.header = header
    let digest = SealedSpelling(header: header).headerDigest
    changes = OperationBuilder(
      fields: "\"header\":\"\(digest)\",\"at\":\(JSONText.time(at)),\"after\":\(after.json)",
      size: Int(Padding.floor))
  }

  /// Adds a new wallet's entry; counts only with the permission ``SilentWriter/Permissions/put``.
  public mutating func put(_ record: RecordID, entry: borrowing SecretBytes) {
    changes.put(record, entry: entry)
  }

  /// Adds a version of a file.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - name: its name.
  ///   - version: its contents.
  ///   - replaces: the operation whose version of this file this computer wrote last, or none.
  /// - Throws: ``CSPPError/duplicateField(_:)`` if this operation has a version of the file.
  public mutating func filePut(
    _ file: FileID, name: PathComponent, version: borrowing NewFileVersion, replaces: [Digest]
  ) throws(CSPPError) {
    try changes.filePut(file, name: name, version: version, replaces: replaces)
  }

  /// Removes a file.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - replaces: the operations whose version of this file it removes.
  public mutating func fileRemove(_ file: FileID, replaces: [Digest]) {
    changes.fileRemove(file, replaces: replaces)
  }

  /// Seals and signs the operation, and consumes the builder.
  ///
  /// - Parameters:
  ///   - inbox: the public key that this writer was told when it was authorised.
  ///   - writerSecret: this writer's second secret, 32 bytes.
  ///   - signer: this writer's signing pair.
  /// - Returns: the file, its name and digest.
  /// - Throws: ``CSPPError/tooLarge(limit:)`` for more than 16 MiB of text;
  ///   ``CSPPError/invalidField(_:)`` for an inbox key of low order or a secret of another size.
  public consuming func seal(
    inbox: X25519Key, writerSecret: borrowing SecretBytes, signer: borrowing SigningPair
  ) throws(CSPPError) -> SealedOperation {
    try seal(
      inbox: inbox, writerSecret: writerSecret, signer: signer,
      random: .random(count: 32))
  }

  /// Seals with random bytes that a test knows.
  consuming func seal(
    inbox: X25519Key, writerSecret: borrowing SecretBytes, signer: borrowing SigningPair,
    random: consuming SecretBytes
  ) throws(CSPPError) -> SealedOperation {
    let header = header
    return try SealedOperation.seal(
      changes.finish(padded: Padding.powerOfTwo), header: header, inbox: inbox,
      writerSecret: writerSecret, signer: signer, random: random)
  }
}

extension SealedOperation {
  /// The digest that binds a text to a header.
  package static func headerDigest(of header: OperationHeader) -> Digest {
    SealedSpelling(header: header).headerDigest
  }

  /// Seals and signs a padded text, without the master key.
  ///
  /// - Throws: ``CSPPError/tooLarge(limit:)`` for more than 16 MiB of text;
  ///   ``CSPPError/invalidField(_:)`` for an inbox key of low order or a secret of another size.
  package static func seal(
    _ text: consuming SecretBytes, header: OperationHeader, inbox: X25519Key,
    writerSecret: borrowing SecretBytes, signer: borrowing SigningPair,
    random: consuming SecretBytes = .random(count: 32)
  ) throws(CSPPError) -> SealedOperation {
    let spelling = SealedSpelling(header: header)
    try SizeLimits.check(text.count, SealedSpelling.textLimit)
    let secret = SealedOperationKey.ephemeral(text, random: random, signer: signer)
    let ephemeral = X25519Key(of: secret)
    let key = try SealedOperationKey.derive(
      secret: secret, with: inbox, ephemeral: ephemeral, inbox: inbox, writerSecret: writerSecret,
      header: header, signingKey: signer.publicKey)
    try AEAD.seal(
      inPlace: &text, key: key, nonce: SealedSpelling.nonce, associatedData: spelling.protected)
    let box = ephemeral.bytes + (unsafe text.withUnsafeBytes { unsafe Array($0) })
    let file = spelling.file(box: unsafe Base64.encode(box.span.bytes, .standard)) {
      signer.sign($0)
    }
    let digest = Digest(of: file.span)
    return SealedOperation(
      header: header, file: unsafe SecretBytes(copying: file.span.bytes), digest: digest)
  }
}

/// The one spelling that a sealed operation's file may have.
struct SealedSpelling {
  static let format: StaticString = "keybackup-sealed"
  /// The largest plaintext with its padding, 16 MiB.
  static let textLimit = 16 * 1024 * 1024
  /// Each key seals one text, so its nonce is zero.
  static let nonce = [UInt8](repeating: 0, count: ChaCha20Poly1305.nonceSize)
  /// The number of bytes by which a box is longer than its text: the ephemeral key and the tag.
  static let boxOverhead = X25519.keySize + ChaCha20Poly1305.tagSize
  /// The most characters of a header, nearly twice as many as the longest has.
  static let protectedLimit = 512
  static let signatureCount = Base64.encodedSize(Ed25519.signatureSize, .standard)

  static let head = Array("{\"format\":\"\(format)\",\"version\":1,\"protected\":\"".utf8)
  static let beforeBox = Array("\",\"box\":\"".utf8)
  static let beforeSignature = Array("\",\"signature\":\"".utf8)
  static let tail = Array("\"}".utf8)

  /// The header in base64url.
  let protected: [UInt8]

  init(header: OperationHeader) {
    protected = unsafe Base64.encode(Array(header.json.utf8).span.bytes, .url)
  }

  /// The digest that binds the plaintext to its header.
  var headerDigest: Digest { Digest(of: protected.span) }

  /// The bytes that are signed.
  static func signed(protected: some Collection<UInt8>, box: some Collection<UInt8>) -> [UInt8] {
    var message = Array("keybackup:v1:sealed".utf8)
    message.reserveCapacity(message.count + protected.count + box.count + 2)
    message.append(0)
    message += protected
    message.append(0)
    message += box
    return message
  }

  /// The file's bytes.
  ///
  /// - Parameters:
  ///   - box: in base64.
  ///   - sign: signs a message.
  /// - Returns: the bytes.
  func file(box: [UInt8], sign: ([UInt8]) -> [UInt8]) -> [UInt8] {
    let signature = sign(Self.signed(protected: protected, box: box))
    return Self.head + protected + Self.beforeBox + box + Self.beforeSignature
      + (unsafe Base64.encode(signature.span.bytes, .standard)) + Self.tail
  }
}
