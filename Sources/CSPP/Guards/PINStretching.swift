public import SecretMemory

/// The parameters by which `x`, the guards' oblivious input, derives from a PIN: Argon2id (RFC
/// 9106).
///
/// They slow down those who have the folder and as many guards as are needed. They come from a
/// header that anyone may have planted, so they are bounded.
public struct PINStretching: Equatable, Sendable {
  /// The memory in KiB that a header may ask for: 8 MiB to 512 MiB.
  public static let memoryKiB = 8 * 1024...512 * 1024
  /// The passes that a header may ask for.
  public static let passes = 1...16

  /// Argon2id's salt, 16 random bytes.
  public let salt: [UInt8]
  /// Argon2id's cost.
  public let cost: Argon2id.Parameters

  /// Checks the parameters.
  ///
  /// - Parameters:
  ///   - salt: 16 bytes.
  ///   - memory: the memory in KiB.
  ///   - passes: the passes over it.
  /// - Throws: ``CSPPError/invalidField(_:)`` with the field of a header.
  public init(
    salt: [UInt8], kibibytes memory: Int, passes: Int
  ) throws(CSPPError) {
    guard salt.count == Argon2id.saltSize else { throw .invalidField("kdf_salt") }
    guard Self.memoryKiB.contains(memory) else { throw .invalidField("kdf_memory_kib") }
    guard Self.passes.contains(passes),
      let cost = try? Argon2id.Parameters(memoryKiB: memory, passes: passes)
    else { throw .invalidField("kdf_passes") }
    self.salt = salt
    self.cost = cost
  }
}
