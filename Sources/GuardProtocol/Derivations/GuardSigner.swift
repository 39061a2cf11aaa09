public import CSPP
public import SecretMemory

/// One of the Ed25519 pairs with which a client signs what it asks of a guard.
public struct GuardSigner: ~Copyable, Sendable {
  /// The size of the header's `guard_nonce`, 32 bytes.
  public static let nonceSize = KeyHeader.guardNonceSize

  /// The public half.
  public let publicKey: SigningKey
  private let seed: SecretBytes

  /// Takes a seed: the owner key's, from the log.
  ///
  /// - Parameter seed: 32 bytes.
  /// - Throws: ``GuardProtocolError/invalidParameter(_:)`` for another size.
  public init(seed: consuming SecretBytes) throws(GuardProtocolError) {
    guard seed.count == Ed25519.seedSize, let bytes = try? Ed25519.publicKey(of: seed),
      let key = SigningKey(bytes: bytes)
    else { throw .invalidParameter("seed") }
    publicKey = key
    self.seed = seed
  }

  /// The ask key of a guard: of anyone who has the folder.
  ///
  /// - Parameters:
  ///   - nonce: the header's `guard_nonce`, 32 bytes.
  ///   - keyID: the key slot.
  ///   - guardID: the guard.
  /// - Returns: the pair.
  /// - Throws: ``GuardProtocolError/invalidParameter(_:)`` for a nonce of another size.
  public static func ask(
    nonce: [UInt8], keyID: KeyID, guardID: GuardID
  ) throws(GuardProtocolError) -> GuardSigner {
    guard nonce.count == nonceSize else { throw .invalidParameter("guard_nonce") }
    let info = DerivationInfo.bytes("guard-ask", keyID, guardID.bytes)
    return try GuardSigner(seed: unsafe HKDFSHA256.deriveKey(ikm: nonce.span.bytes, info: info))
  }

  /// The reset key of a guard: of anyone who opened the backup by this way in.
  ///
  /// - Parameters:
  ///   - secret: the way's secret, ``GuardedSecret``, 32 bytes.
  ///   - keyID: the key slot.
  ///   - guardID: the guard.
  /// - Returns: the pair.
  /// - Throws: ``GuardProtocolError/invalidParameter(_:)`` for a secret of another size.
  public static func reset(
    secret: borrowing SecretBytes, keyID: KeyID, guardID: GuardID
  ) throws(GuardProtocolError) -> GuardSigner {
    guard secret.count == GuardedSecret.size else { throw .invalidParameter("secret") }
    let info = DerivationInfo.bytes("guard-reset", keyID, guardID.bytes)
    return try GuardSigner(seed: secret.withBytes { HKDFSHA256.deriveKey(ikm: $0, info: info) })
  }

  /// Signs a message, 64 bytes.
  public borrowing func sign(_ message: [UInt8]) -> [UInt8] {
    do throws(SecretMemoryError) {
      return try unsafe Ed25519.sign(message.span.bytes, seed: seed)
    } catch {
      preconditionFailure("a seed of the right size")
    }
  }
}
