public import SecretMemory

/// A master key sealed for a key slot that is not plugged in.
///
/// It is an X25519 sealed box to the recipient key of the slot's file in `keys/`.
extension MasterKey {
  /// Seals the key to a key slot.
  ///
  /// - Parameter recipient: ``KeyWrapper/recipient``, 32 bytes.
  /// - Returns: the box, 80 bytes.
  /// - Throws: ``CSPPError/invalidField(_:)`` for bytes that are no recipient key.
  public borrowing func sealed(to recipient: [UInt8]) throws(CSPPError) -> [UInt8] {
    try withBytes { (bytes) throws(CSPPError) in
      do throws(SecretMemoryError) {
        return try SealedBox.seal(bytes, to: recipient)
      } catch {
        throw CSPPError(error)
      }
    }
  }

  /// Opens a box.
  ///
  /// Anyone who knows a recipient key can make a box. The result is only a claim until its
  /// ``namespaceID`` was compared.
  ///
  /// - Parameters:
  ///   - box: from ``Operation/Change/moved(_:boxes:last:)``.
  ///   - secret: the slot's secret; of a security key, its PRF output.
  ///   - keyID: the key slot.
  /// - Throws: ``CSPPError/authenticationFailed`` for another slot's secret,
  ///   ``CSPPError/invalidField(_:)`` for contents other than a master key.
  public init(
    opening box: [UInt8], secret: borrowing SecretBytes, keyID: KeyID
  ) throws(CSPPError) {
    let opened: SecretBytes
    do {
      opened = try SealedBox.open(
        box, secret: KeyWrapper.recipientSecret(secret: secret, keyID: keyID))
    } catch {
      throw CSPPError(error)
    }
    try self.init(opened)
  }
}
