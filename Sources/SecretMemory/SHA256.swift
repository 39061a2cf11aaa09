internal import CSodium

/// SHA-256 (FIPS 180-4) with 32-byte digests.
@safe
public struct SHA256: ~Copyable {
  /// The size of a digest, 32 bytes.
  public static let digestSize = 32

  // The state has its own allocation, which can be wiped. A value that moves would leave copies,
  // and the state holds the last block of a message that may be secret.
  private let state: UnsafeMutablePointer<crypto_hash_sha256_state>

  /// Starts a digest that receives its message in pieces.
  public init() {
    unsafe state = .allocate(capacity: 1)
    unsafe crypto_hash_sha256_init(state)
  }

  deinit {
    unsafe sodium_memzero(state, MemoryLayout<crypto_hash_sha256_state>.size)
    unsafe state.deallocate()
  }

  /// Adds bytes to the message.
  public mutating func update(_ bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { bytes in
      _ = unsafe crypto_hash_sha256_update(
        state, bytes.cBytes, UInt64(bytes.count))
    }
  }

  /// The digest of everything added; consumes the value.
  public consuming func finalize() -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Self.digestSize)
    unsafe crypto_hash_sha256_final(state, &digest)
    return digest
  }

  /// The 32-byte digest of `bytes`.
  public static func hash(_ bytes: RawSpan) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: digestSize)
    unsafe bytes.withUnsafeBytes { bytes in
      _ = unsafe crypto_hash_sha256(
        &digest, bytes.cBytes, UInt64(bytes.count))
    }
    return digest
  }

  /// The 32-byte digest of `bytes`, in guarded memory, for a digest used as a key.
  public static func secretHash(_ bytes: RawSpan) -> SecretBytes {
    var digest = SecretBytes(zeroed: digestSize)
    unsafe digest.withUnsafeMutableBytes { digest in
      unsafe bytes.withUnsafeBytes { bytes in
        _ = unsafe crypto_hash_sha256(digest.cBytes, bytes.cBytes, UInt64(bytes.count))
      }
    }
    return digest
  }

  /// The 32-byte digest of `bytes`.
  public static func hash(_ bytes: [UInt8]) -> [UInt8] {
    unsafe hash(bytes.span.bytes)
  }
}
