internal import CSodium

/// Ed25519 (RFC 8032): signatures that anyone with the public key can check.
public enum Ed25519 {
  /// The size of a seed, the secret from which a signing pair derives: 32 bytes.
  public static let seedSize = 32
  /// The size of a public key, 32 bytes.
  public static let publicKeySize = 32
  /// The size of a signature, 64 bytes.
  public static let signatureSize = 64

  /// The 32-byte public key of a 32-byte seed.
  ///
  /// - Throws: ``SecretMemoryError/invalidParameter(_:)`` for a seed of another size.
  public static func publicKey(
    of seed: borrowing SecretBytes
  ) throws(SecretMemoryError) -> [UInt8] {
    try expand(seed).publicKey
  }

  /// Signs a message; the same seed and message always give the same signature.
  ///
  /// - Parameters:
  ///   - message: the message, of any size.
  ///   - seed: 32 bytes.
  /// - Returns: 64 bytes.
  /// - Throws: ``SecretMemoryError/invalidParameter(_:)`` for a seed of another size.
  public static func sign(
    _ message: RawSpan, seed: borrowing SecretBytes
  ) throws(SecretMemoryError) -> [UInt8] {
    let pair = try expand(seed)
    var signature = [UInt8](repeating: 0, count: signatureSize)
    unsafe message.withUnsafeBytes { message in
      unsafe pair.secretKey.withUnsafeBytes { key in
        _ = unsafe crypto_sign_detached(
          &signature, nil, message.cBytes, UInt64(message.count), key.cBytes)
      }
    }
    return signature
  }

  /// Whether a public key is one that a seed can have: the only encoding of a point of the group of
  /// prime order, and not its neutral element.
  ///
  /// Under a key of small order, one signature fits many messages.
  public static func isValidKey(_ key: [UInt8]) -> Bool {
    key.count == publicKeySize && isInPrimeGroup(key)
  }

  /// Verifies a signature, the same way with every version of libsodium.
  ///
  /// Versions of libsodium treat points outside the group of prime order differently, both in the
  /// key and in the signature. Such points are refused here.
  ///
  /// - Parameters:
  ///   - signature: 64 bytes.
  ///   - message: the message.
  ///   - key: the public key, for which ``isValidKey(_:)`` holds.
  /// - Returns: whether the signature is that key's.
  public static func verify(
    _ signature: [UInt8], of message: RawSpan, key: [UInt8]
  ) -> Bool {
    guard signature.count == signatureSize, key.count == publicKeySize else { return false }
    let holds = unsafe message.withUnsafeBytes { message in
      unsafe crypto_sign_verify_detached(
        signature, message.cBytes, UInt64(message.count), key) == 0
    }
    return holds && isInPrimeGroup(Array(signature.prefix(32))) && isInPrimeGroup(key)
  }

  /// Half of L + 1, where L is the order of the group; little-endian.
  private static let half: [UInt8] = [
    0xF7, 0xE9, 0x7A, 0x2E, 0x8D, 0x31, 0x09, 0x2C, 0x6B, 0xCE, 0x7B, 0x51, 0xEF, 0x7C, 0x6F, 0x0A,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x08,
  ]

  /// Multiplies with L + 1, which leaves only the points of the group as they are.
  ///
  /// libsodium's own check is not enough: up to 1.0.20 it takes a point to which the point of order
  /// two was added (CVE-2025-69277).
  private static func isInPrimeGroup(_ point: [UInt8]) -> Bool {
    Sodium.start()
    var product = [UInt8](repeating: 0, count: publicKeySize)
    var same = [UInt8](repeating: 0, count: publicKeySize)
    return unsafe crypto_core_ed25519_is_valid_point(point) == 1
      && crypto_scalarmult_ed25519_noclamp(&product, half, point) == 0
      && crypto_core_ed25519_add(&same, product, product) == 0 && same == point
  }

  private struct Pair: ~Copyable {
    let publicKey: [UInt8]
    /// Seed and public key, as libsodium wants them: 64 bytes.
    let secretKey: SecretBytes
  }

  private static func expand(_ seed: borrowing SecretBytes) throws(SecretMemoryError) -> Pair {
    guard seed.count == seedSize else { throw .invalidParameter("Ed25519 seed: 32 bytes") }
    var publicKey = [UInt8](repeating: 0, count: publicKeySize)
    var secretKey = SecretBytes(zeroed: 64)
    unsafe secretKey.withUnsafeMutableBytes { key in
      unsafe seed.withUnsafeBytes { seed in
        _ = unsafe crypto_sign_seed_keypair(&publicKey, key.cBytes, seed.cBytes)
      }
    }
    return Pair(publicKey: publicKey, secretKey: secretKey)
  }
}
