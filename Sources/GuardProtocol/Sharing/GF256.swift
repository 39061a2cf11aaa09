// This folder is for sharing 32 bytes among guards. It knows nothing of keys, accounts or messages.

/// The field with 256 elements that AES has: polynomials over two elements modulo
/// x^8 + x^4 + x^3 + x + 1 (0x11b; FIPS 197, section 4.2).
///
/// Addition is XOR. No time and no address depends on the operands.
enum GF256 {
  /// The product of two elements.
  static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var product: UInt8 = 0
    var left = left
    for bit in 0..<8 as Range<UInt8> {
      product ^= left & mask((right &>> bit) & 1)
      left = (left &<< 1) ^ (0x1B & mask(left &>> 7))
    }
    return product
  }

  /// The inverse of an element; zero for zero.
  static func inverse(_ element: UInt8) -> UInt8 {
    // element^254, because element^255 is 1.
    var power = element
    var inverse: UInt8 = 1
    for _ in 0..<7 {
      power = product(power, power)
      inverse = product(inverse, power)
    }
    return inverse
  }

  /// All bits for 1, none for 0.
  private static func mask(_ bit: UInt8) -> UInt8 { 0 &- bit }
}
