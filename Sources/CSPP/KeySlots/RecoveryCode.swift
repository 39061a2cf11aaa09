public import SecretMemory

/// A recovery code: 20 Crockford base32 characters, 100 random bits, followed by Crockford's check
/// symbol.
///
/// The check symbol is the number's remainder modulo 37 in an alphabet of 37 symbols. Codes whose
/// symbol would be one of `*~$=U` are drawn again, so that a code has only digits and letters. Of
/// the symbols, 32 of 37 remain: 99.8 bits.
public struct RecoveryCode: ~Copyable, Sendable {
  /// The number of characters that carry the secret.
  public static let characterCount = 20
  /// The number of characters including the check symbol.
  public static let symbolCount = characterCount + 1
  /// The most typed bytes that are parsed.
  public static let typedLimit = 256
  private static let groupSize = 4
  /// A prime, so that the check symbol reveals every wrong character and every swap of two
  /// characters.
  private static let modulus = 37

  /// The reason why a text is no recovery code; it contains nothing of the text.
  public enum Mistake: Error, Equatable, Sendable {
    /// The text has this many letters and digits instead of 21.
    case length(Int)
    /// The character at this place, counted from 1 without hyphens and spaces, is not in the
    /// alphabet.
    case character(Int)
    /// The check symbol does not match: something was mistyped.
    case checkSymbol
  }

  /// 21 symbols of the alphabet, in ASCII.
  private let symbols: SecretBytes

  /// Draws a random code.
  public static func random() -> RecoveryCode {
    while true {
      var values = SecretBytes.random(count: symbolCount)
      let fits = values.withMutableBytes { bytes in
        for place in 0..<characterCount {
          let random = unsafe bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)
          bytes.storeBytes(of: random & 31, toByteOffset: place, as: UInt8.self)
        }
        let remainder = remainder(bytes.bytes)
        guard remainder < CrockfordBase32.upperCase.count else { return false }
        bytes.storeBytes(of: UInt8(remainder), toByteOffset: characterCount, as: UInt8.self)
        return true
      }
      if fits { return RecoveryCode(values: values) }
    }
  }

  /// Parses typed text as Crockford specifies: case, hyphens and white space are ignored, O is 0, I
  /// and L are 1.
  ///
  /// So are the hyphens, dashes, spaces and invisible characters of word processors and web pages.
  /// Full-width letters and digits count as those of ASCII.
  ///
  /// - Parameter typed: the text, UTF-8.
  /// - Throws: ``Mistake``.
  public init(parsing typed: borrowing SecretBytes) throws(Mistake) {
    var values = SecretBytes(zeroed: Self.symbolCount)
    try typed.withBytes { (text) throws(Mistake) in
      try values.withMutableBytes { (values) throws(Mistake) in
        try Self.decode(text, into: &values)
      }
    }
    let fits = values.withBytes { bytes in
      Self.remainder(bytes)
        == Int(unsafe bytes.unsafeLoad(fromByteOffset: Self.characterCount, as: UInt8.self))
    }
    guard fits else { throw .checkSymbol }
    self.init(values: values)
  }

  private init(values: borrowing SecretBytes) {
    var symbols = values.copy()
    symbols.withMutableBytes { bytes in
      for place in 0..<Self.symbolCount {
        let value = unsafe bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)
        bytes.storeBytes(
          of: CrockfordBase32.upperCase[Int(value)], toByteOffset: place, as: UInt8.self)
      }
    }
    self.symbols = symbols
  }

  /// The input of the key derivation: the 20 characters in upper-case ASCII, without the check
  /// symbol.
  var password: SecretBytes { symbols.copy(0..<Self.characterCount) }

  /// The code as it is displayed and printed: `XXXX-XXXX-XXXX-XXXX-XXXX-X`.
  public var grouped: SecretBytes {
    let hyphens = (Self.symbolCount - 1) / Self.groupSize
    var text = SecretBytes(zeroed: Self.symbolCount + hyphens)
    symbols.withBytes { symbols in
      text.withMutableBytes { text in
        for place in 0..<Self.symbolCount {
          let symbol = unsafe symbols.unsafeLoad(fromByteOffset: place, as: UInt8.self)
          let target = place + place / Self.groupSize
          if place > 0, place % Self.groupSize == 0 {
            text.storeBytes(of: UInt8(ascii: "-"), toByteOffset: target - 1, as: UInt8.self)
          }
          text.storeBytes(of: symbol, toByteOffset: target, as: UInt8.self)
        }
      }
    }
    return text
  }

  // MARK: Symbols

  /// The remainder of the number that the first 20 values represent.
  static func remainder(_ values: RawSpan) -> Int {
    var remainder = 0
    for place in 0..<characterCount {
      let value = unsafe values.unsafeLoad(fromByteOffset: place, as: UInt8.self)
      remainder = (remainder * 32 + Int(value)) % modulus
    }
    return remainder
  }

  /// Writes the values of 21 symbols.
  private static func decode(
    _ text: RawSpan, into values: inout MutableRawSpan
  ) throws(Mistake) {
    var count = 0
    var wrong: Int?
    var offset = 0
    while offset < min(text.byteCount, typedLimit) {
      let (scalar, size) = character(at: offset, in: text)
      offset += size
      if isSeparator(scalar) { continue }
      if let value = value(of: scalar) {
        if count < symbolCount {
          values.storeBytes(of: value, toByteOffset: count, as: UInt8.self)
        }
      } else if wrong == nil {
        wrong = count + 1
      }
      count += 1
    }
    if let wrong { throw .character(wrong) }
    guard count == symbolCount, text.byteCount <= typedLimit else { throw .length(count) }
  }

  /// The value of a symbol, which may be one of the full-width forms of East Asian keyboards.
  private static func value(of scalar: UInt32) -> UInt8? {
    let isFullWidth = (0xFF01...0xFF5E).contains(scalar)
    return UInt8(exactly: isFullWidth ? scalar - 0xFEE0 : scalar)
      .flatMap(CrockfordBase32.value(of:))
  }

  private static func isSeparator(_ scalar: UInt32) -> Bool {
    switch scalar {
    // White space; hyphens, dashes and the minus sign; what has no width.
    case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F,
      0x3000, 0x2D, 0x2010...0x2015, 0x2043, 0x2212, 0x30FC, 0xFE58, 0xFE63, 0xFF0D, 0xFF70, 0xAD,
      0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2069, 0xFEFF:
      true
    default: false
    }
  }

  /// The character at `offset` and its size in bytes; a byte that is not UTF-8 is one beyond all
  /// characters.
  private static func character(at offset: Int, in text: RawSpan) -> (UInt32, Int) {
    func byte(_ place: Int) -> UInt32 {
      UInt32(unsafe text.unsafeLoad(fromByteOffset: place, as: UInt8.self))
    }
    let first = byte(offset)
    if first < 0x80 { return (first, 1) }
    let size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard first >= 0xC2, offset + size <= text.byteCount else { return (.max, 1) }
    var scalar = first & (0x7F >> UInt32(size))
    for place in 1..<size {
      guard byte(offset + place) & 0xC0 == 0x80 else { return (.max, 1) }
      scalar = scalar << 6 | byte(offset + place) & 0x3F
    }
    return (scalar, size)
  }
}
