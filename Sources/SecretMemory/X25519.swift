internal import CSodium

/// X25519 (RFC 7748): the public half of a key, and the secret that two parties share.
public enum X25519 {
  /// The size of a secret, a public key and a shared secret, 32 bytes.
  public static let keySize = 32

  /// The 32-byte public key of a 32-byte secret.
  ///
  /// - Throws: ``SecretMemoryError/invalidParameter(_:)`` for another size.
  public static func publicKey(of secret: borrowing SecretBytes) throws(SecretMemoryError)
    -> [UInt8]
  {
    guard secret.count == keySize else { throw .invalidParameter("X25519 secret: 32 bytes") }
    var point = [UInt8](repeating: 0, count: keySize)
    unsafe secret.withUnsafeBytes { secret in
      _ = unsafe crypto_scalarmult_base(&point, secret.cBytes)
    }
    return point
  }

  /// The 32 bytes that the owners of two pairs share.
  ///
  /// - Parameters:
  ///   - secret: the own secret, 32 bytes.
  ///   - publicKey: the other's public key, 32 bytes.
  /// - Returns: the shared secret. It is not uniform: derive keys from it.
  /// - Throws: ``SecretMemoryError/invalidParameter(_:)`` for another size, and for a public key
  ///   that gives zeroes with every secret.
  public static func sharedSecret(
    of secret: borrowing SecretBytes, with publicKey: [UInt8]
  ) throws(SecretMemoryError) -> SecretBytes {
    guard secret.count == keySize else { throw .invalidParameter("X25519 secret: 32 bytes") }
    guard publicKey.count == keySize else { throw .invalidParameter("X25519 key: 32 bytes") }
    var shared = SecretBytes(zeroed: keySize)
    let failed = unsafe shared.withUnsafeMutableBytes { shared in
      unsafe secret.withUnsafeBytes { secret in
        unsafe crypto_scalarmult(shared.cBytes, secret.cBytes, publicKey) != 0
          || sodium_is_zero(shared.cBytes, keySize) == 1
      }
    }
    if failed { throw .invalidParameter("X25519 key: a point of low order") }
    return shared
  }
}
