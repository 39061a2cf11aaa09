public import SecretMemory

/// The answer to a ``WriterRequest``: what a silent writer needs, sealed to the request's key.
///
/// Anyone who saw the request can make an answer, with an inbox of their own. Who exchanged the
/// request's keys can open the true answer, and seal it again to the request. So a person compares
/// the ``WriterRequest/fingerprint`` and the ``fingerprint(of:to:)``.
public struct WriterAnswer: ~Copyable, Sendable {
  private static let prefix = "keybackup-inbox"
  private static let size = 169

  /// The namespace to which the computer may write.
  public let namespaceID: NamespaceID
  /// The public key to which it seals.
  public let inbox: X25519Key
  /// Its second secret, 32 bytes.
  public let writerSecret: SecretBytes
  /// The kinds of change that may count.
  public let may: SilentWriter.Permissions
  /// The operation that authorised it.
  public let after: Operation.Seen

  /// Makes the line that answers a request.
  ///
  /// - Parameters:
  ///   - request: the request, which a person has compared.
  ///   - masterKey: the namespace's key.
  ///   - may: what `writer-add` permits.
  ///   - after: the operation with that `writer-add`.
  /// - Returns: the line, `keybackup-inbox1...`.
  /// - Throws: ``CSPPError/invalidField(_:)`` for a request whose key has no secret.
  public static func line(
    to request: WriterRequest, masterKey: borrowing MasterKey, may: SilentWriter.Permissions,
    after: Operation.Seen
  ) throws(CSPPError) -> String {
    let inbox = InboxPair(of: masterKey)
    let secret = masterKey.writerSecret(request.identity)
    var text = SecretWriter(capacity: size)
    let counter = (0..<8).map { UInt8(truncatingIfNeeded: after.counter >> (56 - $0 * 8)) }
    unsafe text.raw(
      (request.digest.bytes + inbox.namespaceID.bytes + inbox.publicKey.bytes).span.bytes)
    secret.withBytes { text.raw($0) }
    unsafe text.raw(
      ([may.rawValue] + after.writerID.bytes + counter + after.digest.bytes).span.bytes)
    let box = try text.withBytes { (text) throws(CSPPError) in
      do throws(SecretMemoryError) {
        return try SealedBox.seal(text, to: request.answerKey.bytes)
      } catch {
        throw CSPPError(error)
      }
    }
    return AuthorisingLine.encode([AuthorisingLine.version] + box, prefix: prefix)
  }

  /// Opens an answer.
  ///
  /// - Parameters:
  ///   - line: the text; white space is ignored.
  ///   - request: the request that this computer made.
  ///   - answerSecret: the secret of that request.
  /// - Throws: ``AuthorisingLineMistake``.
  public init(
    opening line: String, to request: WriterRequest, answerSecret: borrowing SecretBytes
  ) throws(AuthorisingLineMistake) {
    let bytes = try AuthorisingLine.decode(line, prefix: Self.prefix)
    let text: SecretBytes
    do throws(SecretMemoryError) {
      text = try SealedBox.open(Array(bytes.dropFirst()), secret: answerSecret)
    } catch {
      throw .otherRequest
    }
    guard text.count == Self.size else { throw .invalid("size") }
    let secret = text.copy(80..<112)
    // The secret is not among these.
    let open = unsafe text.withUnsafeBytes { unsafe Array($0[..<80]) + Array($0[112...]) }
    guard let digest = Digest(bytes: Array(open[..<32])), digest == request.digest else {
      throw .otherRequest
    }
    guard let namespaceID = NamespaceID(bytes: Array(open[32..<48])),
      let inbox = X25519Key(bytes: Array(open[48..<80])),
      let authoriser = WriterID(bytes: Array(open[81..<97])),
      let operation = Digest(bytes: Array(open[105..<137]))
    else { throw .invalid("size") }
    guard inbox.isValid else { throw .invalid("inbox") }
    let counter = open[97..<105].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard (1...UInt64(Int64.max)).contains(counter) else { throw .invalid("counter") }
    self.namespaceID = namespaceID
    self.inbox = inbox
    writerSecret = secret
    may = SilentWriter.Permissions(rawValue: open[80])
      .intersection([.filePut, .fileRemove, .put])
    after = Operation.Seen(writerID: authoriser, counter: counter, digest: operation)
  }

  /// Sixteen characters that both computers show, in groups of four.
  ///
  /// - Parameters:
  ///   - line: the answer.
  ///   - request: the request as this computer has it.
  /// - Returns: the characters with their hyphens.
  /// - Throws: ``AuthorisingLineMistake``.
  public static func fingerprint(
    of line: String, to request: WriterRequest
  ) throws(AuthorisingLineMistake) -> String {
    let bytes = try AuthorisingLine.decode(line, prefix: prefix)
    return AuthorisingLine.fingerprint("keybackup:v1:writer-answer", request.digest.bytes + bytes)
  }
}
