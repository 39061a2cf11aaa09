public import CSPP
public import SecretMemory

/// The masks under which shares lie in the header.
///
/// There is no commitment to a share: one guard could test PINs with it.
public enum ShareMask {
  /// Masks or unmasks a share of a PIN way: XOR with a key derived from the guard's OPRF output.
  ///
  /// - Parameters:
  ///   - share: 32 bytes, masked or not.
  ///   - output: the OPRF output of this guard's key for `x`, 64 bytes.
  ///   - keyID: the key slot.
  ///   - point: the guard's number, 1 to 16.
  /// - Returns: 32 bytes, the other of the two.
  /// - Throws: ``GuardProtocolError/invalidShare``, ``GuardProtocolError/invalidParameter(_:)``.
  public static func pin(
    _ share: borrowing SecretBytes, output: borrowing SecretBytes, keyID: KeyID, point: Int
  ) throws(GuardProtocolError) -> SecretBytes {
    guard output.count == 64 else { throw .invalidParameter("output") }
    return try apply("guard-share", share, output, keyID, point)
  }

  /// Masks or unmasks a share of a login way: XOR with a key derived from the guard's secret `s`.
  ///
  /// - Parameters:
  ///   - share: 32 bytes, masked or not.
  ///   - secret: what the guard drew for this account, 32 bytes.
  ///   - keyID: the key slot.
  ///   - point: the guard's number, 1 to 16.
  /// - Returns: 32 bytes, the other of the two.
  /// - Throws: ``GuardProtocolError/invalidShare``, ``GuardProtocolError/invalidParameter(_:)``.
  public static func login(
    _ share: borrowing SecretBytes, secret: borrowing SecretBytes, keyID: KeyID, point: Int
  ) throws(GuardProtocolError) -> SecretBytes {
    guard secret.count == 32 else { throw .invalidParameter("secret") }
    return try apply("guard-login-share", share, secret, keyID, point)
  }

  private static func apply(
    _ label: String, _ share: borrowing SecretBytes, _ source: borrowing SecretBytes,
    _ keyID: KeyID, _ point: Int
  ) throws(GuardProtocolError) -> SecretBytes {
    guard share.count == SecretShares.size, (1...GuardThreshold.maximumGuards).contains(point)
    else { throw .invalidShare }
    let info = DerivationInfo.bytes(label, keyID, [UInt8(point)])
    var mask = source.withBytes { HKDFSHA256.deriveKey(ikm: $0, info: info) }
    unsafe mask.withUnsafeMutableBytes { mask in
      unsafe share.withUnsafeBytes { share in
        for index in share.indices { unsafe mask[index] ^= share[index] }
      }
    }
    return mask
  }
}
