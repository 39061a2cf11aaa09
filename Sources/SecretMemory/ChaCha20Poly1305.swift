/// ChaCha20-Poly1305 with the IETF's 96-bit nonce (RFC 8439, section 2.8).
///
/// A sealed message is ciphertext followed by the tag, as CSPP stores it.
public enum ChaCha20Poly1305 {
  private static let cipher = ChaChaPoly.chaCha20Poly1305

  /// The size of a key, 32 bytes.
  public static let keySize = ChaChaPoly.keySize
  /// The size of a nonce, 12 bytes.
  public static let nonceSize = cipher.nonceSize
  /// The size of the tag, 16 bytes; a sealed message is this much longer.
  public static let tagSize = ChaChaPoly.tagSize

  /// Encrypts and authenticates.
  ///
  /// - Parameters:
  ///   - plaintext: the message, of any size.
  ///   - key: 32 bytes.
  ///   - nonce: 12 bytes, never used twice with one key.
  ///   - associatedData: authenticated, not encrypted.
  /// - Returns: ciphertext and tag.
  /// - Throws: ``SecretMemoryError/invalidParameter(_:)`` for a wrong size.
  public static func seal(
    _ plaintext: RawSpan, key: borrowing SecretBytes, nonce: [UInt8],
    associatedData: [UInt8] = []
  ) throws(SecretMemoryError) -> [UInt8] {
    try cipher.seal(plaintext, key: key, nonce: nonce, associatedData: associatedData)
  }

  /// Encrypts and authenticates a message in its own memory.
  ///
  /// - Parameters:
  ///   - message: afterwards ciphertext and tag, 16 bytes longer.
  ///   - key: 32 bytes.
  ///   - nonce: 12 bytes, never used twice with one key.
  ///   - associatedData: authenticated, not encrypted.
  /// - Throws: ``SecretMemoryError/invalidParameter(_:)`` for a wrong size; the message is then
  ///   unchanged.
  public static func seal(
    inPlace message: inout SecretBytes, key: borrowing SecretBytes, nonce: [UInt8],
    associatedData: [UInt8] = []
  ) throws(SecretMemoryError) {
    try cipher.seal(inPlace: &message, key: key, nonce: nonce, associatedData: associatedData)
  }

  /// Verifies and decrypts directly into guarded memory.
  ///
  /// - Parameters:
  ///   - sealed: ciphertext and tag.
  ///   - key: 32 bytes.
  ///   - nonce: 12 bytes.
  ///   - associatedData: the data authenticated with the message.
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

  /// Verifies and decrypts into memory that is reused.
  ///
  /// - Parameters:
  ///   - sealed: ciphertext and tag.
  ///   - key: 32 bytes.
  ///   - nonce: 12 bytes.
  ///   - associatedData: the data authenticated with the message.
  ///   - plaintext: afterwards exactly the plaintext; empty after a failure.
  /// - Throws: as ``open(_:key:nonce:associatedData:)``.
  public static func open(
    _ sealed: RawSpan, key: borrowing SecretBytes, nonce: [UInt8],
    associatedData: [UInt8] = [], into plaintext: inout SecretBytes
  ) throws(SecretMemoryError) {
    try cipher.open(
      sealed, key: key, nonce: nonce, associatedData: associatedData, into: &plaintext)
  }

  /// Verifies a message and decrypts it in its own memory.
  ///
  /// - Parameters:
  ///   - sealed: ciphertext and tag; afterwards exactly the plaintext, or nothing after a failed
  ///     authentication.
  ///   - key: 32 bytes.
  ///   - nonce: 12 bytes.
  ///   - associatedData: the data authenticated with the message.
  /// - Throws: as ``open(_:key:nonce:associatedData:)``.
  public static func open(
    inPlace sealed: inout SecretBytes, key: borrowing SecretBytes, nonce: [UInt8],
    associatedData: [UInt8] = []
  ) throws(SecretMemoryError) {
    try cipher.open(inPlace: &sealed, key: key, nonce: nonce, associatedData: associatedData)
  }
}
