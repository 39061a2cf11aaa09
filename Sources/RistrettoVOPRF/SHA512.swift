internal import CSodium

/// SHA-512 (FIPS 180-4) of a message in pieces; the state is wiped.
@safe
struct SHA512: ~Copyable {
  static let digestSize = 64

  // An allocation of its own: a value that moves would leave copies of a state that may be secret.
  private let state: UnsafeMutablePointer<crypto_hash_sha512_state>

  init() {
    unsafe state = .allocate(capacity: 1)
    unsafe crypto_hash_sha512_init(state)
  }

  deinit {
    unsafe sodium_memzero(state, MemoryLayout<crypto_hash_sha512_state>.size)
    unsafe state.deallocate()
  }

  mutating func update(_ bytes: UnsafePointer<UInt8>, count: Int) {
    _ = unsafe crypto_hash_sha512_update(state, bytes, UInt64(count))
  }

  mutating func update(_ bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { bytes in
      // An empty buffer may have no address.
      guard let start = bytes.baseAddress else { return }
      unsafe update(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    }
  }

  mutating func update(_ bytes: [UInt8]) { unsafe update(bytes.span.bytes) }

  /// Adds a piece of at most 65,535 bytes after its size in two bytes (`I2OSP(size, 2)`).
  mutating func updateSized(_ bytes: RawSpan) {
    update(TwoBytes.of(bytes.byteCount))
    update(bytes)
  }

  /// Adds a piece of at most 65,535 bytes after its size in two bytes.
  mutating func updateSized(_ bytes: [UInt8]) { unsafe updateSized(bytes.span.bytes) }

  /// Writes the digest, 64 bytes; nothing can be added afterwards.
  mutating func finalize(into digest: UnsafeMutablePointer<UInt8>) {
    unsafe crypto_hash_sha512_final(state, digest)
  }
}

/// A number as two bytes, the higher first (`I2OSP(number, 2)` of RFC 8017).
enum TwoBytes {
  static let limit = 65_535

  static func of(_ number: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
  }
}
