public import CSPP
public import SecretMemory

/// Shares that guards gave, until there are as many as are needed.
///
/// Nothing here can tell a wrong share: the secret that comes out shows it.
public struct CollectedShares: ~Copyable, Sendable {
  /// The numbers of guards.
  public let threshold: GuardThreshold
  /// The points whose shares are here.
  public private(set) var points: [Int] = []
  private var values: SecretBytes

  /// Starts without a share.
  public init(threshold: GuardThreshold) {
    self.threshold = threshold
    values = SecretBytes(zeroed: threshold.needed * SecretShares.size)
  }

  /// Whether there are as many shares as are needed.
  public var isComplete: Bool { points.count == threshold.needed }

  /// Adds a share.
  ///
  /// - Parameters:
  ///   - share: 32 bytes.
  ///   - point: its guard's number, from 1 on.
  /// - Throws: ``GuardProtocolError/invalidShare``, also for a point that is here already and where
  ///   no share is needed any more.
  public mutating func add(
    _ share: borrowing SecretBytes, at point: Int
  ) throws(GuardProtocolError) {
    guard share.count == SecretShares.size, (1...threshold.guards).contains(point),
      !points.contains(point), !isComplete
    else { throw .invalidShare }
    let start = points.count * SecretShares.size
    unsafe values.withUnsafeMutableBytes { values in
      let place = unsafe UnsafeMutableRawBufferPointer(
        rebasing: values[start..<start + SecretShares.size])
      unsafe share.withUnsafeBytes { unsafe place.copyMemory(from: $0) }
    }
    points.append(point)
  }

  /// The secret, by Lagrange's interpolation at 0.
  ///
  /// - Returns: 32 bytes.
  /// - Throws: ``GuardProtocolError/invalidShare`` while shares are missing.
  public borrowing func combine() throws(GuardProtocolError) -> SecretBytes {
    guard isComplete else { throw .invalidShare }
    var secret = SecretBytes(zeroed: SecretShares.size)
    unsafe secret.withUnsafeMutableBytes { secret in
      unsafe values.withUnsafeBytes { values in
        for (place, point) in points.enumerated() {
          let weight = weight(of: point)
          for index in 0..<SecretShares.size {
            unsafe secret[index] ^= GF256.product(
              values[place * SecretShares.size + index], weight)
          }
        }
      }
    }
    return secret
  }

  /// The product of `other / (other - point)` over the other points; subtraction is XOR.
  private func weight(of point: Int) -> UInt8 {
    var weight: UInt8 = 1
    for other in points where other != point {
      let difference = UInt8(other) ^ UInt8(point)
      weight = GF256.product(weight, GF256.product(UInt8(other), GF256.inverse(difference)))
    }
    return weight
  }
}
