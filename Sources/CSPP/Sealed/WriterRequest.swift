public import SecretMemory

/// The line by which a computer asks to become a silent writer.
///
/// It holds no secret. Anyone on its way can exchange it, so a person compares the
/// ``fingerprint``.
public struct WriterRequest: Equatable, Sendable {
  private static let prefix = "keybackup-writer"

  /// The fresh ID of the writer's chain.
  public let writerID: WriterID
  /// The key with which it will sign.
  public let signingKey: SigningKey
  /// The public key, made for this request, to which the answer is sealed.
  public let answerKey: X25519Key
  /// The name that the computer proposes for itself.
  public let label: PathComponent

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - writerID: a fresh ID.
  ///   - signer: the computer's signing pair.
  ///   - answerSecret: 32 random bytes, kept until the answer is here.
  ///   - label: the computer's name.
  /// - Throws: ``CSPPError/invalidField(_:)`` for a secret of another size.
  public init(
    writerID: WriterID, signer: borrowing SigningPair, answerSecret: borrowing SecretBytes,
    label: PathComponent
  ) throws(CSPPError) {
    guard answerSecret.count == X25519.keySize else { throw .invalidField("answer secret") }
    self.writerID = writerID
    signingKey = signer.publicKey
    answerKey = X25519Key(of: answerSecret)
    self.label = label
  }

  /// Reads a line.
  ///
  /// - Parameter line: the text; white space is ignored.
  /// - Throws: ``AuthorisingLineMistake``, also for a signing key that no signer can have.
  public init(parsing line: String) throws(AuthorisingLineMistake) {
    let bytes = try AuthorisingLine.decode(line, prefix: Self.prefix)
    guard bytes.count >= 81,
      let writerID = WriterID(bytes: Array(bytes[1..<17])),
      let signingKey = SigningKey(bytes: Array(bytes[17..<49])),
      let answerKey = X25519Key(bytes: Array(bytes[49..<81]))
    else { throw .invalid("size") }
    guard signingKey.isValid else { throw .invalid("signing key") }
    guard answerKey.isValid else { throw .invalid("answer key") }
    guard let text = String(validating: bytes[81...], as: UTF8.self),
      let label = PathComponent(text)
    else { throw .invalid("label") }
    self.writerID = writerID
    self.signingKey = signingKey
    self.answerKey = answerKey
    self.label = label
  }

  /// The line, `keybackup-writer1...`.
  public var line: String { AuthorisingLine.encode(bytes, prefix: Self.prefix) }

  /// Sixteen characters that both computers show, in groups of four.
  public var fingerprint: String {
    AuthorisingLine.fingerprint("keybackup:v1:writer-request", bytes)
  }

  /// The ID and the signing key that a `writer-add` would name.
  public var identity: SilentWriter.Identity {
    SilentWriter.Identity(writerID: writerID, signingKey: signingKey)
  }

  /// The digest of the request, which its answer repeats.
  var digest: Digest { Digest(of: bytes.span) }

  private var bytes: [UInt8] {
    [AuthorisingLine.version] + writerID.bytes + signingKey.bytes + answerKey.bytes
      + Array(label.text.utf8)
  }
}
