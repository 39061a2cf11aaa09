internal import CSodium

/// ChaCha20-Poly1305 with the IETF's 96-bit nonce (RFC 8439, section 2.8).
///
/// A sealed message is ciphertext followed by the tag, as CSPP stores it.
public enum ChaCha20Poly1305 {
  /// Size of a key, 32 bytes.
  public static let keySize = 32
  /// Size of a nonce, 12 bytes.
  public static let nonceSize = 12
  /// Size of the tag, 16 bytes; a sealed message is this much longer.
  public static let tagSize = 16

  /// Encrypts and authenticates.
  ///
  /// - Parameters:
  ///   - plaintext: what to protect; any size.
  ///   - key: 32 bytes.
  ///   - nonce: 12 bytes, never used twice with one key.
  ///   - associatedData: authenticated, not encrypted.
  /// - Returns: ciphertext and tag.
  /// - Throws: ``SecretMemoryError/invalidParameter(_:)`` for a wrong size.
  public static func seal(
    _ plaintext: RawSpan, key: borrowing SecretBytes, nonce: [UInt8],
    associatedData: [UInt8] = []
  ) throws(SecretMemoryError) -> [UInt8] {
    try check(key, nonce)
    var sealed = [UInt8](repeating: 0, count: plaintext.byteCount + tagSize)
    unsafe key.withUnsafeBytes { key in
      unsafe plaintext.withUnsafeBytes { message in
        _ = unsafe crypto_aead_chacha20poly1305_ietf_encrypt(
          &sealed, nil, message.cBytes, UInt64(message.count),
          associatedData, UInt64(associatedData.count), nil, nonce, key.cBytes)
      }
    }
    return sealed
  }

  /// Encrypts and authenticates a message in its own memory.
  ///
  /// - Parameters:
  ///   - message: ciphertext and tag afterwards, 16 bytes longer.
  ///   - key: 32 bytes.
  ///   - nonce: 12 bytes, never used twice with one key.
  ///   - associatedData: authenticated, not encrypted.
  /// - Throws: ``SecretMemoryError/invalidParameter(_:)`` for a wrong size; the
  ///   message is then as it was.
  public static func seal(
    inPlace message: inout SecretBytes, key: borrowing SecretBytes, nonce: [UInt8],
    associatedData: [UInt8] = []
  ) throws(SecretMemoryError) {
    try check(key, nonce)
    let count = message.count
    message.reserve(count + tagSize)
    message.resize(to: count + tagSize)
    unsafe message.withUnsafeMutableBytes { memory in
      unsafe key.withUnsafeBytes { key in
        // libsodium encrypts where the message is.
        _ = unsafe crypto_aead_chacha20poly1305_ietf_encrypt(
          memory.cBytes, nil, memory.cBytes, UInt64(count),
          associatedData, UInt64(associatedData.count), nil, nonce, key.cBytes)
      }
    }
  }

  /// Verifies and decrypts straight into guarded memory.
  ///
  /// - Parameters:
  ///   - sealed: ciphertext and tag.
  ///   - key: 32 bytes.
  ///   - nonce: 12 bytes.
  ///   - associatedData: what was authenticated beside the message.
  /// - Returns: the plaintext, 16 bytes shorter than `sealed`.
  /// - Throws: ``SecretMemoryError/authenticationFailed``, also for a message
  ///   too short to hold a tag; ``SecretMemoryError/invalidParameter(_:)``.
  public static func open(
    _ sealed: RawSpan, key: borrowing SecretBytes, nonce: [UInt8],
    associatedData: [UInt8] = []
  ) throws(SecretMemoryError) -> SecretBytes {
    guard sealed.byteCount >= tagSize else { throw .authenticationFailed }
    var plaintext = SecretBytes(zeroed: sealed.byteCount - tagSize)
    try open(sealed, key: key, nonce: nonce, associatedData: associatedData, into: &plaintext)
    return plaintext
  }

  /// Verifies and decrypts into memory that is used again and again.
  ///
  /// - Parameters:
  ///   - sealed: ciphertext and tag.
  ///   - key: 32 bytes.
  ///   - nonce: 12 bytes.
  ///   - associatedData: what was authenticated beside the message.
  ///   - plaintext: holds exactly the plaintext afterwards, nothing after a
  ///     failure.
  /// - Throws: as ``open(_:key:nonce:associatedData:)``.
  public static func open(
    _ sealed: RawSpan, key: borrowing SecretBytes, nonce: [UInt8],
    associatedData: [UInt8] = [], into plaintext: inout SecretBytes
  ) throws(SecretMemoryError) {
    try check(key, nonce)
    guard sealed.byteCount >= tagSize else { throw .authenticationFailed }
    plaintext.reuse(count: sealed.byteCount - tagSize)
    let failed = unsafe plaintext.withUnsafeMutableBytes { output in
      unsafe key.withUnsafeBytes { key in
        unsafe sealed.withUnsafeBytes { sealed in
          unsafe crypto_aead_chacha20poly1305_ietf_decrypt(
            output.cBytes, nil, nil,
            sealed.cBytes, UInt64(sealed.count),
            associatedData, UInt64(associatedData.count), nonce,
            key.cBytes) != 0
        }
      }
    }
    if failed {
      plaintext.resize(to: 0)
      throw .authenticationFailed
    }
  }

  /// Verifies a message and decrypts it in its own memory.
  ///
  /// - Parameters:
  ///   - sealed: ciphertext and tag; exactly the plaintext afterwards, nothing
  ///     after a failed authentication.
  ///   - key: 32 bytes.
  ///   - nonce: 12 bytes.
  ///   - associatedData: what was authenticated beside the message.
  /// - Throws: as ``open(_:key:nonce:associatedData:)``.
  public static func open(
    inPlace sealed: inout SecretBytes, key: borrowing SecretBytes, nonce: [UInt8],
    associatedData: [UInt8] = []
  ) throws(SecretMemoryError) {
    let count = sealed.count - tagSize
    guard count >= 0 else {
      sealed.resize(to: 0)
      throw .authenticationFailed
    }
    try check(key, nonce)
    let failed = unsafe sealed.withUnsafeMutableBytes { memory in
      unsafe key.withUnsafeBytes { key in
        // libsodium decrypts where the message is, after it has verified all.
        unsafe crypto_aead_chacha20poly1305_ietf_decrypt(
          memory.cBytes, nil, nil, memory.cBytes, UInt64(memory.count),
          associatedData, UInt64(associatedData.count), nonce, key.cBytes) != 0
      }
    }
    sealed.resize(to: failed ? 0 : count)
    if failed { throw .authenticationFailed }
  }

  private static func check(
    _ key: borrowing SecretBytes, _ nonce: [UInt8]
  ) throws(SecretMemoryError) {
    guard key.count == keySize else { throw .invalidParameter("key: 32 bytes") }
    guard nonce.count == nonceSize else { throw .invalidParameter("nonce: 12 bytes") }
  }
}
