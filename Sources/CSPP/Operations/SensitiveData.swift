public import SecretMemory

/// Seals data that is private but opens no wallet, such as public keys or the owner key of guards,
/// for the backup's log.
///
/// The key derives from CSPP's sensitive data key.
public enum SensitiveData {
  private static let nonceSize = 12

  /// Seals a text.
  ///
  /// - Parameters:
  ///   - text: any bytes.
  ///   - topic: the subject of the text; each topic has its own key.
  ///   - masterKey: the namespace's key.
  /// - Returns: the nonce (12 bytes) and the ciphertext.
  /// - Throws: nothing that a caller can cause.
  public static func seal(
    _ text: borrowing SecretBytes, topic: String, masterKey: borrowing MasterKey
  ) throws(CSPPError) -> [UInt8] {
    let nonce = Randomness.bytes(count: nonceSize)
    let sealed = try text.withBytes { (text) throws(CSPPError) in
      try AEAD.seal(text, key: key(masterKey, topic), nonce: nonce, associatedData: [])
    }
    return nonce + sealed
  }

  /// Opens the output of ``seal(_:topic:masterKey:)``.
  ///
  /// - Returns: the text.
  /// - Throws: ``CSPPError/authenticationFailed``.
  public static func open(
    _ sealed: [UInt8], topic: String, masterKey: borrowing MasterKey
  ) throws(CSPPError) -> SecretBytes {
    guard sealed.count >= nonceSize else { throw .authenticationFailed }
    return try AEAD.open(
      Array(sealed.dropFirst(nonceSize)), key: key(masterKey, topic),
      nonce: Array(sealed.prefix(nonceSize)), associatedData: [])
  }

  private static func key(_ masterKey: borrowing MasterKey, _ topic: String) -> SecretBytes {
    HKDFSHA256.deriveKey(
      ikm: masterKey.sensitiveDataKey(), info: "keybackup:v1:sensitive:\(topic)")
  }
}
