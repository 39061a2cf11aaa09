internal import CSodium
internal import SecretMemory

/// An element of ristretto255 (RFC 9496) in its one encoding, 32 bytes; never the identity.
public struct RistrettoElement: Hashable, Sendable {
  /// The size of an encoding, 32 bytes.
  public static let size = 32
  /// The encoding.
  public let bytes: [UInt8]

  /// Checks an encoding.
  ///
  /// - Throws: ``VOPRFError/invalidElement`` for another size, another spelling of an element,
  ///   bytes that encode none, and the identity.
  public init(_ bytes: [UInt8]) throws(VOPRFError) {
    // libsodium 1.0.18 ignores the highest bit, so an element would have two encodings.
    guard bytes.count == Self.size, bytes[Self.size - 1] < 0x80,
      bytes.contains(where: { $0 != 0 }),
      unsafe crypto_core_ristretto255_is_valid_point(bytes) == 1
    else { throw .invalidElement }
    self.bytes = bytes
  }

  /// Takes bytes that libsodium has just encoded and that are not the identity's.
  init(encoded bytes: [UInt8]) { self.bytes = bytes }

  /// The element times a scalar; nil for the identity, which only the scalar zero gives.
  func times(_ scalar: [UInt8]) -> RistrettoElement? {
    unsafe scalar.withUnsafeBytes { scalar in
      unsafe times(scalar.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self))
    }
  }

  /// The element times a scalar in guarded memory.
  func times(_ scalar: borrowing SecretBytes) -> RistrettoElement? {
    unsafe scalar.withUnsafeBytes { scalar in
      unsafe times(scalar.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self))
    }
  }

  private func times(_ scalar: UnsafePointer<UInt8>) -> RistrettoElement? {
    var product = [UInt8](repeating: 0, count: Self.size)
    let failed = unsafe crypto_scalarmult_ristretto255(&product, scalar, bytes) != 0
    return failed ? nil : RistrettoElement(encoded: product)
  }

  /// The generator times a scalar in guarded memory; nil for the scalar zero.
  static func generator(times scalar: borrowing SecretBytes) -> RistrettoElement? {
    var product = [UInt8](repeating: 0, count: size)
    let failed = unsafe scalar.withUnsafeBytes { scalar in
      let scalar = unsafe scalar.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
      return unsafe crypto_scalarmult_ristretto255_base(&product, scalar) != 0
    }
    return failed ? nil : RistrettoElement(encoded: product)
  }

  /// The generator times a public scalar; nil for the scalar zero.
  static func generator(times scalar: [UInt8]) -> RistrettoElement? {
    var product = [UInt8](repeating: 0, count: size)
    let failed = unsafe crypto_scalarmult_ristretto255_base(&product, scalar) != 0
    return failed ? nil : RistrettoElement(encoded: product)
  }

  /// The sum; nil for the identity, which an element and its negative give, and for no `other`.
  func plus(_ other: RistrettoElement?) -> RistrettoElement? {
    guard let other else { return nil }
    var sum = [UInt8](repeating: 0, count: Self.size)
    let failed = unsafe crypto_core_ristretto255_add(&sum, bytes, other.bytes) != 0
    return failed || sum.allSatisfy { $0 == 0 } ? nil : RistrettoElement(encoded: sum)
  }
}
