internal import CSodium

/// A box sealed to an X25519 public key by anyone who knows it: libsodium's `crypto_box_seal`.
///
/// It uses an ephemeral X25519 key and XSalsa20-Poly1305; the nonce is a BLAKE2b hash of both
/// public keys.
public enum SealedBox {
  /// The number of bytes by which a box is longer than its message: 48.
  public static let overhead = 48

  /// Seals a message.
  ///
  /// - Parameters:
  ///   - message: the message, which only the recipient can read.
  ///   - recipient: X25519 public key, 32 bytes.
  /// - Returns: the ephemeral public key and the ciphertext.
  /// - Throws: ``SecretMemoryError/invalidParameter(_:)`` for a key of another size, or one that
  ///   belongs to no secret.
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
  ///   - box: the output of ``seal(_:to:)``.
  ///   - secret: the recipient's X25519 secret, 32 bytes.
  /// - Returns: the message.
  /// - Throws: ``SecretMemoryError/authenticationFailed``, also for a box to another recipient;
  ///   ``SecretMemoryError/invalidParameter(_:)``.
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
