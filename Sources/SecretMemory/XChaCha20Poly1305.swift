/// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): like ``ChaCha20Poly1305``, with a nonce long
/// enough to be random.
public enum XChaCha20Poly1305 {
  private static let cipher = ChaChaPoly.xChaCha20Poly1305

  /// The size of a key, 32 bytes.
  public static let keySize = ChaChaPoly.keySize
  /// The size of a nonce, 24 bytes.
  public static let nonceSize = cipher.nonceSize
  /// The size of the tag, 16 bytes; a sealed message is this much longer.
  public static let tagSize = ChaChaPoly.tagSize

  /// Encrypts and authenticates a message in its own memory.
  ///
  /// - Parameters:
  ///   - message: afterwards ciphertext and tag, 16 bytes longer.
  ///   - key: 32 bytes.
  ///   - nonce: 24 bytes, never used twice with one key.
  ///   - associatedData: authenticated, not encrypted.
  /// - Throws: ``SecretMemoryError/invalidParameter(_:)`` for a wrong size; the message is then
  ///   unchanged.
  public static func seal(
    inPlace message: inout SecretBytes, key: borrowing SecretBytes, nonce: [UInt8],
    associatedData: [UInt8] = []
  ) throws(SecretMemoryError) {
    try cipher.seal(inPlace: &message, key: key, nonce: nonce, associatedData: associatedData)
  }

  /// Verifies a message and decrypts it in its own memory.
  ///
  /// - Parameters:
  ///   - sealed: ciphertext and tag; afterwards exactly the plaintext, or nothing after a failed
  ///     authentication.
  ///   - key: 32 bytes.
  ///   - nonce: 24 bytes.
  ///   - associatedData: the data authenticated with the message.
  /// - Throws: ``SecretMemoryError/authenticationFailed``, also for a message
  ///   too short to hold a tag; ``SecretMemoryError/invalidParameter(_:)``.
  public static func open(
    inPlace sealed: inout SecretBytes, key: borrowing SecretBytes, nonce: [UInt8],
    associatedData: [UInt8] = []
  ) throws(SecretMemoryError) {
    try cipher.open(inPlace: &sealed, key: key, nonce: nonce, associatedData: associatedData)
  }
}
