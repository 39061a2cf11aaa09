internal import CSodium

/// Sealing to an X25519 public key, by whoever knows it: libsodium's
/// `crypto_box_seal` (an ephemeral X25519 key, XSalsa20-Poly1305, the nonce a
/// BLAKE2b hash of both public keys).
public enum SealedBox {
  /// How much longer a box is than its message, in bytes: 48.
  public static let overhead = 48

  /// Seals a message.
  ///
  /// - Parameters:
  ///   - message: what only the recipient is to read.
  ///   - recipient: X25519 public key, 32 bytes.
  /// - Returns: the ephemeral public key and the ciphertext.
  /// - Throws: ``SecretMemoryError/invalidParameter(_:)`` for a key of another
  ///   size, or one that is no secret's.
  public static func seal(
    _ message: RawSpan, to recipient: [UInt8]
  ) throws(SecretMemoryError) -> [UInt8] {
    guard recipient.count == 32 else { throw .invalidParameter("recipient: 32 bytes") }
    Sodium.start()
    var box = [UInt8](repeating: 0, count: message.byteCount + overhead)
    let failed = unsafe message.withUnsafeBytes { message in
      unsafe crypto_box_seal(&box, message.cBytes, UInt64(message.count), recipient) != 0
    }
    if failed { throw .invalidParameter("recipient: a point of low order") }
    return box
  }

  /// Opens a box.
  ///
  /// - Parameters:
  ///   - box: what ``seal(_:to:)`` made.
  ///   - secret: the recipient's X25519 secret, 32 bytes.
  /// - Returns: the message.
  /// - Throws: ``SecretMemoryError/authenticationFailed``, also for another's
  ///   box; ``SecretMemoryError/invalidParameter(_:)``.
  public static func open(
    _ box: [UInt8], secret: borrowing SecretBytes
  ) throws(SecretMemoryError) -> SecretBytes {
    guard box.count >= overhead else { throw .authenticationFailed }
    let recipient = try X25519.publicKey(of: secret)
    var message = SecretBytes(zeroed: box.count - overhead)
    let failed = unsafe message.withUnsafeMutableBytes { message in
      unsafe secret.withUnsafeBytes { secret in
        unsafe crypto_box_seal_open(
          message.cBytes, box, UInt64(box.count), recipient, secret.cBytes) != 0
      }
    }
    if failed { throw .authenticationFailed }
    return message
  }
}
