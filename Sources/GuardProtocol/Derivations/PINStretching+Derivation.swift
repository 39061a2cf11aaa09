public import CSPP
public import SecretMemory
@_spi(_Unicode) internal import Swift

/// The derivation of `x`, the guards' oblivious input, from a PIN.
extension PINStretching {
  /// The size of a PIN or password as UTF-8 in normal form, in bytes.
  public static let pinSize = 1...1024

  /// Checks the parameters.
  ///
  /// - Parameters:
  ///   - salt: 16 bytes.
  ///   - memoryKiB: the memory in KiB; by default the second choice of RFC 9106, section 4.
  ///   - passes: the passes over it.
  /// - Throws: ``GuardProtocolError/invalidParameter(_:)``.
  public init(
    salt: [UInt8] = Randomness.bytes(count: Argon2id.saltSize), memoryKiB: Int = 65_536,
    passes: Int = 3
  ) throws(GuardProtocolError) {
    do throws(CSPPError) {
      try self.init(salt: salt, kibibytes: memoryKiB, passes: passes)
    } catch .invalidField(let name) {
      throw .invalidParameter(name)
    } catch {
      throw .invalidParameter("kdf")
    }
  }

  /// Derives `x`.
  ///
  /// A PIN beyond ASCII passes through a `String`, whose copy cannot be wiped: only the standard
  /// library can normalise.
  ///
  /// - Parameter pin: UTF-8, 1 to 1,024 bytes; its normal form (NFC) counts.
  /// - Returns: 32 bytes.
  /// - Throws: ``GuardProtocolError/invalidParameter(_:)`` for a PIN of another size or not in
  ///   UTF-8, ``GuardProtocolError/outOfMemory``.
  public func derive(_ pin: borrowing SecretBytes) throws(GuardProtocolError) -> SecretBytes {
    let normal = try Self.normalised(pin)
    do throws(SecretMemoryError) {
      return try Argon2id.deriveKey(password: normal, salt: salt, parameters: cost)
    } catch {
      throw .outOfMemory
    }
  }

  private static func normalised(
    _ pin: borrowing SecretBytes
  ) throws(GuardProtocolError) -> SecretBytes {
    guard pinSize.contains(pin.count) else { throw .invalidParameter("pin") }
    let isASCII = unsafe pin.withUnsafeBytes { unsafe $0.allSatisfy { $0 < 0x80 } }
    if isASCII { return pin.copy() }
    let text = unsafe pin.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
    guard let text else { throw .invalidParameter("pin") }
    // NFC makes a text at most three times as long (Unicode Standard Annex 15).
    var normal = SecretBytes(zeroed: 3 * pin.count)
    var count = 0
    for scalar in text._nfc {
      for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
        guard count < normal.count else { throw .invalidParameter("pin") }
        unsafe normal.withUnsafeMutableBytes { unsafe $0[count] = byte }
        count += 1
      }
    }
    guard pinSize.contains(count) else { throw .invalidParameter("pin") }
    normal.resize(to: count)
    return normal
  }
}
