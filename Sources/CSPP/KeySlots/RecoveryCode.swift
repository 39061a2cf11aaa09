public import SecretMemory

/// A recovery code: 20 Crockford base32 characters, 100 random bits, and
/// Crockford's check symbol behind them.
///
/// The check symbol is the number's remainder modulo 37 in an alphabet of 37
/// symbols. Codes whose symbol would be one of `*~$=U` are drawn again, so that
/// a code has only digits and letters: 32 of 37 remain, 99.8 bits.
public struct RecoveryCode: ~Copyable, Sendable {
  /// Characters that carry the secret.
  public static let characterCount = 20
  /// Those and the check symbol.
  public static let symbolCount = characterCount + 1
  /// Most bytes that are looked at of what a person typed.
  public static let typedLimit = 256
  private static let groupSize = 4
  /// A prime, so that the check symbol shows every wrong character and every
  /// two that changed places.
  private static let modulus = 37

  /// Why a text is no recovery code; carries nothing of the text.
  public enum Mistake: Error, Equatable, Sendable {
    /// So many letters and digits instead of 21.
    case length(Int)
    /// The character at this place, counted from 1 without hyphens and spaces,
    /// is none of the alphabet.
    case character(Int)
    /// The check symbol does not fit: something was mistyped.
    case checkSymbol
  }

  /// 21 symbols of the alphabet, in ASCII.
  private let symbols: SecretBytes

  /// Draws a code.
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

  /// Reads what a person typed, as Crockford says: case, hyphens and white
  /// space do not count, O is 0, I and L are 1.
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

  /// What goes into the key derivation: the 20 characters in ASCII, letters
  /// upper case, without the check symbol.
  var password: SecretBytes { symbols.copy(0..<Self.characterCount) }

  /// The code as it is shown and printed: `XXXX-XXXX-XXXX-XXXX-XXXX-X`.
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

  /// The remainder of the number that the first 20 values stand for.
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
    for offset in 0..<min(text.byteCount, typedLimit) {
      let byte = unsafe text.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      if isSeparator(byte) { continue }
      if let value = CrockfordBase32.value(of: byte) {
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

  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ") || (9...13).contains(byte)
  }
}
