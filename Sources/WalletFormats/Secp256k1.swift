/// The two questions this module asks of Bitcoin's curve (SEC 2, 2.4.1).
///
/// The curve is y^2 = x^3 + 7 over p = 2^256 - 2^32 - 977. The only secret here
/// is what the range check sees, and that takes the same time for every key.
enum Secp256k1 {
  /// The order of the group, n, big-endian.
  private static let order: [UInt8] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE,
    0xBA, 0xAE, 0xDC, 0xE6, 0xAF, 0x48, 0xA0, 0x3B, 0xBF, 0xD2, 0x5E, 0x8C, 0xD0, 0x36, 0x41, 0x41,
  ]

  /// Whether 32 big-endian bytes are a number in 1..n-1.
  static func isPrivateKey(_ key: RawSpan) -> Bool {
    var borrow = 0
    var anyBit: UInt8 = 0
    for index in stride(from: 31, through: 0, by: -1) {
      borrow = (Int(key.byte(index)) - Int(order[index]) - borrow) >> 8 & 1
      anyBit |= key.byte(index)
    }
    return borrow == 1 && anyBit != 0
  }

  /// Whether 33 bytes are 2 or 3 and the x coordinate of a point.
  static func isCompressedPublicKey(_ key: RawSpan) -> Bool {
    guard key.byteCount == 33, key.byte(0) == 2 || key.byte(0) == 3 else { return false }
    return isXOnlyPublicKey(key.extracting(1..<33))
  }

  /// Whether 32 bytes are the x coordinate of a point.
  ///
  /// They are where x^3 + 7 is a square (Euler's criterion); no point has y = 0.
  static func isXOnlyPublicKey(_ key: RawSpan) -> Bool {
    guard key.byteCount == 32, let x = FieldElement(key) else { return false }
    let square = x * x * x + FieldElement(small: 7)
    return square.isSquare
  }

  /// Whether 65 bytes are 4 and the two coordinates of a point.
  static func isUncompressedPublicKey(_ key: RawSpan) -> Bool {
    guard key.byteCount == 65, key.byte(0) == 4,
      let x = FieldElement(key.extracting(1..<33)),
      let y = FieldElement(key.extracting(33..<65))
    else { return false }
    return y * y == x * x * x + FieldElement(small: 7)
  }
}

/// A number modulo p, always below p: four 64-bit limbs, least first.
private struct FieldElement: Equatable {
  private var limbs: (UInt64, UInt64, UInt64, UInt64)

  /// 2^256 = 2^32 + 977 modulo p.
  private static let fold: UInt64 = 0x1_0000_03D1

  static func == (left: FieldElement, right: FieldElement) -> Bool {
    left.limbs == right.limbs
  }

  init(small: UInt64) {
    limbs = (small, 0, 0, 0)
  }

  /// 32 big-endian bytes; `nil` for p and above.
  init?(_ bytes: RawSpan) {
    var words: [UInt64] = [0, 0, 0, 0]
    for index in 0..<32 {
      words[3 - index / 8] = words[3 - index / 8] << 8 | UInt64(bytes.byte(index))
    }
    limbs = (words[0], words[1], words[2], words[3])
    // At least p: adding 2^256 - p carries out.
    if Self.add(words, [Self.fold, 0, 0, 0]).carry { return nil }
  }

  private init(_ words: [UInt64]) {
    limbs = (words[0], words[1], words[2], words[3])
  }

  private var words: [UInt64] { [limbs.0, limbs.1, limbs.2, limbs.3] }

  static func + (left: FieldElement, right: FieldElement) -> FieldElement {
    let sum = add(left.words, right.words)
    return reduced(sum.words, carry: sum.carry)
  }

  static func * (left: FieldElement, right: FieldElement) -> FieldElement {
    let a = left.words
    let b = right.words
    var product = [UInt64](repeating: 0, count: 8)
    for i in 0..<4 {
      var carry: UInt64 = 0
      for j in 0..<4 {
        (carry, product[i + j]) = multiplyAdd(a[i], b[j], product[i + j], carry)
      }
      product[i + 4] = carry
    }
    // The upper half counts `fold` times; what that yields above 2^256 is
    // folded once more.
    var low = Array(product[0..<4])
    var carry: UInt64 = 0
    for i in 0..<4 {
      (carry, low[i]) = multiplyAdd(product[i + 4], fold, low[i], carry)
    }
    let (high, lowest) = carry.multipliedFullWidth(by: fold)
    let sum = add(low, [lowest, high, 0, 0])
    return reduced(sum.words, carry: sum.carry)
  }

  /// Whether the power (p-1)/2 is 1.
  ///
  /// In binary, (p-1)/2 is 255 bits: ones, but for the lowest 32: 0x7FFFFE17.
  var isSquare: Bool {
    var power = FieldElement(small: 1)
    for bit in stride(from: 254, through: 0, by: -1) {
      power = power * power
      if bit >= 32 || (0x7FFF_FE17 as UInt32) >> UInt32(bit) & 1 == 1 { power = power * self }
    }
    return power == FieldElement(small: 1)
  }

  /// Brings a sum below 2p back below p.
  private static func reduced(_ words: [UInt64], carry: Bool) -> FieldElement {
    let less = add(words, [fold, 0, 0, 0])
    return FieldElement(carry || less.carry ? less.words : words)
  }

  private static func add(_ a: [UInt64], _ b: [UInt64]) -> (words: [UInt64], carry: Bool) {
    var sum = a
    var carry: UInt64 = 0
    for index in 0..<4 {
      let (first, overflow1) = a[index].addingReportingOverflow(b[index])
      let (second, overflow2) = first.addingReportingOverflow(carry)
      sum[index] = second
      carry = overflow1 || overflow2 ? 1 : 0
    }
    return (sum, carry == 1)
  }

  private static func multiplyAdd(
    _ a: UInt64, _ b: UInt64, _ addend: UInt64, _ carry: UInt64
  ) -> (high: UInt64, low: UInt64) {
    let (high, low) = a.multipliedFullWidth(by: b)
    let (first, overflow1) = low.addingReportingOverflow(addend)
    let (second, overflow2) = first.addingReportingOverflow(carry)
    return (high + (overflow1 ? 1 : 0) + (overflow2 ? 1 : 0), second)
  }
}
