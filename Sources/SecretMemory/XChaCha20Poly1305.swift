internal import CSodium

/// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): as ``ChaCha20Poly1305``, with
/// a nonce long enough to be drawn at random.
public enum XChaCha20Poly1305 {
  /// Size of a key, 32 bytes.
  public static let keySize = 32
  /// Size of a nonce, 24 bytes.
  public static let nonceSize = 24
  /// Size of the tag, 16 bytes; a sealed message is this much longer.
  public static let tagSize = 16

  /// Encrypts and authenticates a message in its own memory.
  ///
  /// - Parameters:
  ///   - message: ciphertext and tag afterwards, 16 bytes longer.
  ///   - key: 32 bytes.
  ///   - nonce: 24 bytes, never used twice with one key.
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
        _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
          memory.cBytes, nil, memory.cBytes, UInt64(count),
          associatedData, UInt64(associatedData.count), nil, nonce, key.cBytes)
      }
    }
  }

  /// Verifies a message and decrypts it in its own memory.
  ///
  /// - Parameters:
  ///   - sealed: ciphertext and tag; exactly the plaintext afterwards, nothing
  ///     after a failed authentication.
  ///   - key: 32 bytes.
  ///   - nonce: 24 bytes.
  ///   - associatedData: what was authenticated beside the message.
  /// - Throws: ``SecretMemoryError/authenticationFailed``, also for a message
  ///   too short to hold a tag; ``SecretMemoryError/invalidParameter(_:)``.
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
        unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
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
    guard nonce.count == nonceSize else { throw .invalidParameter("nonce: 24 bytes") }
  }
}
