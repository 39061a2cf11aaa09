public import CSPP
public import SecretMemory

/// A secret of 32 bytes, shared among the guards of a way in (Shamir, "How to Share a Secret").
///
/// Each byte is the value at 0 of a random polynomial of degree `needed - 1` over ``GF256``; the
/// share at point `i`, from 1 on, holds the values at `i`. Fewer than `needed` shares tell nothing.
public struct SecretShares: ~Copyable, Sendable {
  /// The size of the secret and of a share, 32 bytes.
  public static let size = 32

  /// The numbers of guards.
  public let threshold: GuardThreshold
  /// The shares of points 1, 2, ..., one after another.
  private let values: SecretBytes

  /// Shares a secret.
  ///
  /// - Parameters:
  ///   - secret: 32 bytes.
  ///   - threshold: the numbers of guards.
  /// - Throws: ``GuardProtocolError/invalidShare`` for another size.
  public init(
    of secret: borrowing SecretBytes, threshold: GuardThreshold
  ) throws(GuardProtocolError) {
    try self.init(
      of: secret, threshold: threshold,
      coefficients: .random(count: (threshold.needed - 1) * Self.size))
  }

  /// The same with the coefficients of x, x^2 and so on given, 32 bytes each, as known answers need
  /// it.
  init(
    of secret: borrowing SecretBytes, threshold: GuardThreshold,
    coefficients: borrowing SecretBytes
  ) throws(GuardProtocolError) {
    let size = Self.size
    guard secret.count == size, coefficients.count == (threshold.needed - 1) * size else {
      throw .invalidShare
    }
    var values = SecretBytes(zeroed: threshold.guards * size)
    unsafe values.withUnsafeMutableBytes { values in
      unsafe secret.withUnsafeBytes { secret in
        unsafe coefficients.withUnsafeBytes { coefficients in
          for point in 1...threshold.guards {
            for index in 0..<size {
              // Horner's rule, from the highest coefficient to the secret.
              var value: UInt8 = 0
              for degree in stride(from: threshold.needed - 1, to: 0, by: -1) {
                let coefficient = unsafe coefficients[(degree - 1) * size + index]
                value = GF256.product(value ^ coefficient, UInt8(point))
              }
              unsafe values[(point - 1) * size + index] = value ^ secret[index]
            }
          }
        }
      }
    }
    self.threshold = threshold
    self.values = values
  }

  /// The share at a point.
  ///
  /// - Parameter point: 1 to the number of guards.
  /// - Returns: 32 bytes.
  /// - Throws: ``GuardProtocolError/invalidShare``.
  public borrowing func share(at point: Int) throws(GuardProtocolError) -> SecretBytes {
    guard (1...threshold.guards).contains(point) else { throw .invalidShare }
    return values.copy((point - 1) * Self.size..<point * Self.size)
  }
}
