internal import COpenSSL
internal import CSodium

/// SHA-256 (FIPS 180-4) with 32-byte digests.
///
/// A message in pieces may be a file of any size. OpenSSL digests it with the processor's own
/// instructions, some seven times as fast as libsodium.
@safe
public struct SHA256: ~Copyable {
  /// The size of a digest, 32 bytes.
  public static let digestSize = 32

  // The state has its own allocation, which can be wiped. A value that moves would leave copies,
  // and the state holds the last block of a message that may be secret.
  private let state: UnsafeMutablePointer<SHA256_CTX>

  /// More than OpenSSL uses of the stack, in bytes; it may leave a block of the message there.
  private static let stackSize = 8192

  /// Starts a digest that receives its message in pieces.
  public init() {
    unsafe state = .allocate(capacity: 1)
    unsafe SHA256_Init(state)
  }

  deinit {
    unsafe sodium_memzero(state, MemoryLayout<SHA256_CTX>.size)
    unsafe state.deallocate()
  }

  /// Adds bytes to the message.
  public mutating func update(_ bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { bytes in
      _ = unsafe SHA256_Update(state, bytes.cBytes, bytes.count)
    }
    sodium_stackzero(Self.stackSize)
  }

  /// The digest of everything added; consumes the value.
  public consuming func finalize() -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Self.digestSize)
    unsafe SHA256_Final(&digest, state)
    sodium_stackzero(Self.stackSize)
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
