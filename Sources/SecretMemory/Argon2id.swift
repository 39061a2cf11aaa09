internal import CSodium

/// Argon2id version 1.3 (RFC 9106) with one lane, as libsodium computes it.
public enum Argon2id {
  /// The size of the salt, 16 bytes.
  public static let saltSize = 16

  /// The cost of one derivation.
  ///
  /// Values from a file are limited here, so that a crafted file can neither exhaust memory nor run
  /// for hours.
  public struct Parameters: Equatable, Sendable {
    /// The memory in KiB, 8 to 4,194,304 (4 GiB).
    public let memoryKiB: Int
    /// The passes over the memory, 1 to 64.
    public let passes: Int

    /// Checks the limits of both values.
    ///
    /// - Throws: ``SecretMemoryError/invalidParameter(_:)``.
    public init(memoryKiB: Int, passes: Int) throws(SecretMemoryError) {
      guard (8...4_194_304).contains(memoryKiB) else {
        throw .invalidParameter("Argon2id memory: 8 to 4194304 KiB")
      }
      guard (1...64).contains(passes) else {
        throw .invalidParameter("Argon2id passes: 1 to 64")
      }
      self.memoryKiB = memoryKiB
      self.passes = passes
    }
  }

  /// Derives `count` bytes from a password.
  ///
  /// - Parameters:
  ///   - password: of any size.
  ///   - salt: 16 bytes.
  ///   - parameters: the cost.
  ///   - count: the output size, 16 to 1024 bytes.
  /// - Returns: `count` bytes.
  /// - Throws: ``SecretMemoryError/invalidParameter(_:)``,
  ///   ``SecretMemoryError/outOfMemory``.
  public static func deriveKey(
    password: borrowing SecretBytes, salt: [UInt8], parameters: Parameters, count: Int = 32
  ) throws(SecretMemoryError) -> SecretBytes {
    guard salt.count == saltSize else { throw .invalidParameter("Argon2id salt: 16 bytes") }
    guard (16...1024).contains(count) else {
      throw .invalidParameter("Argon2id output: 16 to 1024 bytes")
    }
    var key = SecretBytes(zeroed: count)
    let failed = unsafe key.withUnsafeMutableBytes { key in
      unsafe password.withUnsafeBytes { password in
        unsafe crypto_pwhash_argon2id(
          key.cBytes, UInt64(key.count),
          UnsafeRawPointer(password.cBytes).assumingMemoryBound(to: CChar.self),
          UInt64(password.count),
          salt, UInt64(parameters.passes), parameters.memoryKiB * 1024,
          crypto_pwhash_argon2id_alg_argon2id13()) != 0
      }
    }
    if failed { throw .outOfMemory }
    return key
  }
}
