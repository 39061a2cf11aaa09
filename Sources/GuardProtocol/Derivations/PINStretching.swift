public import SecretMemory
@_spi(_Unicode) internal import Swift

/// The derivation of `x`, the guards' oblivious input, from a PIN: Argon2id (RFC 9106).
///
/// It slows down those who have the folder and as many guards as are needed. The parameters come
/// from a header that anyone may have planted, so they are bounded.
public struct PINStretching: Equatable, Sendable {
  /// The memory in KiB that a header may ask for: 8 MiB to 512 MiB.
  public static let memoryKiB = 8 * 1024...512 * 1024
  /// The passes that a header may ask for.
  public static let passes = 1...16
  /// The size of a PIN or password as UTF-8 in normal form, in bytes.
  public static let pinSize = 1...1024

  /// Argon2id's salt, 16 random bytes.
  public let salt: [UInt8]
  /// Argon2id's cost.
  public let cost: Argon2id.Parameters

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
    guard salt.count == Argon2id.saltSize else { throw .invalidParameter("kdf_salt") }
    guard Self.memoryKiB.contains(memoryKiB) else { throw .invalidParameter("kdf_memory_kib") }
    guard Self.passes.contains(passes),
      let cost = try? Argon2id.Parameters(memoryKiB: memoryKiB, passes: passes)
    else { throw .invalidParameter("kdf_passes") }
    self.salt = salt
    self.cost = cost
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
