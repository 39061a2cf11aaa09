public import CSPP
public import SecretMemory

/// The secret of a guarded way in, from which its wrapping key derives as for any other.
public enum GuardedSecret {
  /// The size of the secret, 32 bytes.
  public static let size = 32

  /// The secret of a PIN way.
  ///
  /// - Parameters:
  ///   - shared: the secret `R` that the guards share, 32 bytes.
  ///   - stretched: `x`, from ``PINStretching/derive(_:)``, 32 bytes.
  ///   - keyID: the key slot.
  /// - Returns: 32 bytes.
  /// - Throws: ``GuardProtocolError/invalidParameter(_:)``.
  public static func pin(
    shared: borrowing SecretBytes, stretched: borrowing SecretBytes, keyID: KeyID
  ) throws(GuardProtocolError) -> SecretBytes {
    try stretched.withBytes { (stretched) throws(GuardProtocolError) in
      try derive("guarded-pin", shared, stretched, keyID)
    }
  }

  /// The secret of a login way.
  ///
  /// - Parameters:
  ///   - shared: the secret `R` that the guards share, 32 bytes.
  ///   - nonce: the header's `guard_nonce`, 32 bytes.
  ///   - keyID: the key slot.
  /// - Returns: 32 bytes.
  /// - Throws: ``GuardProtocolError/invalidParameter(_:)``.
  public static func login(
    shared: borrowing SecretBytes, nonce: [UInt8], keyID: KeyID
  ) throws(GuardProtocolError) -> SecretBytes {
    try unsafe derive("guarded-login", shared, nonce.span.bytes, keyID)
  }

  /// The X25519 public key that belongs to a secret, 32 bytes.
  ///
  /// It must equal the header's `recipient` before the ciphertext is opened: ChaCha20-Poly1305 does
  /// not commit to its key, so a planted file could open with several.
  ///
  /// - Throws: ``GuardProtocolError/invalidParameter(_:)`` for a secret of another size.
  public static func recipient(
    of secret: borrowing SecretBytes, keyID: KeyID
  ) throws(GuardProtocolError) -> X25519Key {
    guard secret.count == size else { throw .invalidParameter("secret") }
    let own = KeyWrapper.recipientSecret(secret: secret, keyID: keyID)
    guard let bytes = try? X25519.publicKey(of: own), let key = X25519Key(bytes: bytes) else {
      throw .invalidParameter("secret")
    }
    return key
  }

  private static func derive(
    _ label: String, _ shared: borrowing SecretBytes, _ other: RawSpan, _ keyID: KeyID
  ) throws(GuardProtocolError) -> SecretBytes {
    guard shared.count == SecretShares.size, other.byteCount == 32 else {
      throw .invalidParameter("secret")
    }
    var both = SecretWriter(capacity: SecretShares.size + 32)
    shared.withBytes { both.raw($0) }
    both.raw(other)
    return both.withBytes {
      HKDFSHA256.deriveKey(ikm: $0, info: DerivationInfo.bytes(label, keyID))
    }
  }
}
