internal import CSodium
internal import SecretMemory

/// Scalars of ristretto255: numbers below the group's order, 32 bytes, little-endian.
///
/// Secret ones are in guarded memory; those of a proof are public, in arrays.
enum RistrettoScalar {
  static let size = 32

  /// A random secret scalar, not zero.
  static func random() -> SecretBytes {
    var scalar = SecretBytes(zeroed: size)
    unsafe scalar.withUnsafeMutableBytes {
      unsafe crypto_core_ristretto255_scalar_random(start($0))
    }
    return scalar
  }

  /// 64 bytes as a number modulo the group's order; nil for another size.
  static func reduced(_ wide: borrowing SecretBytes) -> SecretBytes? {
    guard wide.count == 2 * size else { return nil }
    var scalar = SecretBytes(zeroed: size)
    unsafe scalar.withUnsafeMutableBytes { scalar in
      unsafe wide.withUnsafeBytes { wide in
        unsafe crypto_core_ristretto255_scalar_reduce(start(scalar), start(wide))
      }
    }
    return scalar
  }

  /// Whether a secret scalar is in its one encoding and not zero, in time that does not depend on
  /// it.
  static func isValid(_ scalar: borrowing SecretBytes) -> Bool {
    guard scalar.count == size else { return false }
    // The scalar and 32 zeroes, then the same number reduced.
    var work = SecretBytes(zeroed: 3 * size)
    return unsafe work.withUnsafeMutableBytes { work in
      let wide = unsafe start(work)
      return unsafe scalar.withUnsafeBytes { scalar in
        unsafe work.copyMemory(from: scalar)
        unsafe crypto_core_ristretto255_scalar_reduce(wide + 2 * size, wide)
        return unsafe sodium_memcmp(wide, wide + 2 * size, size) == 0
          && sodium_is_zero(wide, size) == 0
      }
    }
  }

  /// Whether a public scalar is in its one encoding and not zero.
  static func isValid(_ scalar: [UInt8]) -> Bool {
    guard scalar.count == size else { return false }
    var reduced = [UInt8](repeating: 0, count: size)
    unsafe crypto_core_ristretto255_scalar_reduce(
      &reduced, scalar + [UInt8](repeating: 0, count: size))
    return reduced == scalar && scalar.contains { $0 != 0 }
  }

  /// `minuend - factor * secret`, which is public where the secret `minuend` is random.
  static func difference(
    _ minuend: borrowing SecretBytes, _ factor: [UInt8], times secret: borrowing SecretBytes
  ) -> [UInt8] {
    var product = SecretBytes(zeroed: size)
    var difference = [UInt8](repeating: 0, count: size)
    unsafe product.withUnsafeMutableBytes { product in
      unsafe secret.withUnsafeBytes { secret in
        unsafe crypto_core_ristretto255_scalar_mul(start(product), factor, start(secret))
      }
      unsafe minuend.withUnsafeBytes { minuend in
        unsafe crypto_core_ristretto255_scalar_sub(&difference, start(minuend), start(product))
      }
    }
    return difference
  }

  static func start(_ bytes: UnsafeMutableRawBufferPointer) -> UnsafeMutablePointer<UInt8> {
    unsafe bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
  }

  static func start(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<UInt8> {
    unsafe bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
  }
}
