internal import CSodium

/// X25519 (RFC 7748): the public half of a recipient key.
public enum X25519 {
  /// The 32-byte public key of a 32-byte secret.
  ///
  /// - Throws: ``SecretMemoryError/invalidParameter(_:)`` for another size.
  public static func publicKey(of secret: borrowing SecretBytes) throws(SecretMemoryError)
    -> [UInt8]
  {
    guard secret.count == 32 else { throw .invalidParameter("X25519 secret: 32 bytes") }
    var point = [UInt8](repeating: 0, count: 32)
    unsafe secret.withUnsafeBytes { secret in
      _ = unsafe crypto_scalarmult_base(&point, secret.cBytes)
    }
    return point
  }
}
