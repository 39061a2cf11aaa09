internal import SecretMemory

/// Seals data that is private but opens no wallet, such as public keys, for the backup's log.
///
/// The key derives from CSPP's sensitive data key.
public enum SensitiveData {
  private static let nonceSize = 12

  /// Seals a text.
  ///
  /// - Parameters:
  ///   - text: any bytes; no secrets.
  ///   - topic: the subject of the text; each topic has its own key.
  ///   - masterKey: the namespace's key.
  /// - Returns: the nonce (12 bytes) and the ciphertext.
  /// - Throws: nothing that a caller can cause.
  public static func seal(
    _ text: [UInt8], topic: String, masterKey: borrowing MasterKey
  ) throws(CSPPError) -> [UInt8] {
    let nonce = Randomness.bytes(count: nonceSize)
    let sealed = try unsafe AEAD.seal(
      text.span.bytes, key: key(masterKey, topic), nonce: nonce, associatedData: [])
    return nonce + sealed
  }

  /// Opens the output of ``seal(_:topic:masterKey:)``.
  ///
  /// - Returns: the text.
  /// - Throws: ``CSPPError/authenticationFailed``.
  public static func open(
    _ sealed: [UInt8], topic: String, masterKey: borrowing MasterKey
  ) throws(CSPPError) -> [UInt8] {
    guard sealed.count >= nonceSize else { throw .authenticationFailed }
    let text = try AEAD.open(
      Array(sealed.dropFirst(nonceSize)), key: key(masterKey, topic),
      nonce: Array(sealed.prefix(nonceSize)), associatedData: [])
    return unsafe text.withUnsafeBytes { unsafe Array($0) }
  }

  private static func key(_ masterKey: borrowing MasterKey, _ topic: String) -> SecretBytes {
    HKDFSHA256.deriveKey(
      ikm: masterKey.sensitiveDataKey(), info: "keybackup:v1:sensitive:\(topic)")
  }
}
