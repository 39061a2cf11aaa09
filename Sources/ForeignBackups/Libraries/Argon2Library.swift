internal import CArgon2
internal import SecretMemory

/// libargon2: Argon2id with a secret beside the password, which libsodium does not offer.
enum Argon2Library {
  /// The cost of one derivation, with one lane.
  struct Cost {
    let memoryKiB: UInt32
    let passes: UInt32
  }

  private static let loaded = open("libargon2.so.1")

  /// Finds the functions in a library; nil if it is missing or lacks one of them.
  static func open(_ library: String) -> keybackup_argon2? {
    var functions = keybackup_argon2()
    return unsafe keybackup_open_argon2(library, &functions) == 1 ? functions : nil
  }

  /// Derives 32 bytes with Argon2id version 1.3 (RFC 9106).
  ///
  /// - Parameters:
  ///   - password: of any size.
  ///   - secret: the secret value K.
  ///   - salt: 16 bytes.
  ///   - cost: memory and passes.
  /// - Returns: 32 bytes.
  /// - Throws: `libraryMissing`; `outOfMemory`; `unusable` for a salt of less than 8 bytes.
  static func deriveKey(
    password: borrowing SecretBytes, secret: borrowing SecretBytes, salt: [UInt8], cost: Cost
  ) throws(ForeignBackupError) -> SecretBytes {
    guard let argon2 = loaded else {
      throw .libraryMissing(name: "libargon2", package: "libargon2-1")
    }
    var salt = salt
    var key = SecretBytes(zeroed: 32)
    // The context wants addresses that it may write to, and writes to the output alone: the flags
    // that would clear the inputs are not set.
    var password = password.copy()
    var secret = secret.copy()
    let result = unsafe key.withUnsafeMutableBytes { key in
      unsafe password.withUnsafeMutableBytes { password in
        unsafe secret.withUnsafeMutableBytes { secret in
          unsafe salt.withUnsafeMutableBytes { salt in
            var context = unsafe argon2_context()
            unsafe context.out = key.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe context.outlen = UInt32(key.count)
            unsafe context.pwd = password.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe context.pwdlen = UInt32(password.count)
            unsafe context.salt = salt.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe context.saltlen = UInt32(salt.count)
            unsafe context.secret = secret.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe context.secretlen = UInt32(secret.count)
            unsafe context.t_cost = cost.passes
            unsafe context.m_cost = cost.memoryKiB
            unsafe context.lanes = 1
            unsafe context.threads = 1
            unsafe context.version = ARGON2_VERSION_13.rawValue
            return unsafe argon2.argon2_ctx(&context, Argon2_id)
          }
        }
      }
    }
    switch result {
    case ARGON2_OK.rawValue: return key
    case ARGON2_MEMORY_ALLOCATION_ERROR.rawValue: throw .outOfMemory
    default: throw .unusable(part: "libargon2", reason: "it refuses what the key is derived from")
    }
  }
}
