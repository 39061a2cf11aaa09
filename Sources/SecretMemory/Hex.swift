/// Hexadecimal text, two digits per byte.
///
/// Digits are computed, not looked up, so that neither time nor cache lines depend on the bytes,
/// which may be a key.
public enum Hex {
  /// `bytes` as lower-case ASCII digits, twice as long.
  public static func encode(_ bytes: RawSpan) -> [UInt8] {
    let count = bytes.byteCount
    return unsafe [UInt8](unsafeUninitializedCapacity: count * 2) { digits, filled in
      unsafe encode(bytes, into: UnsafeMutableRawBufferPointer(digits))
      filled = count * 2
    }
  }

  /// Whether a byte is an ASCII digit.
  ///
  /// - Parameters:
  ///   - byte: any byte.
  ///   - upperCase: whether `A` to `F` are digits too.
  /// - Returns: whether it is a digit.
  public static func isDigit(_ byte: UInt8, upperCase: Bool = false) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(upperCase ? byte | 0x20 : byte)
  }

  /// `bytes` as a lower-case string, for bytes that need not stay secret.
  public static func string(_ bytes: [UInt8]) -> String {
    unsafe String(decoding: encode(bytes.span.bytes), as: UTF8.self)
  }

  /// Writes `bytes` as lower-case ASCII digits.
  ///
  /// - Precondition: `digits` has room for two digits per byte.
  public static func encode(_ bytes: RawSpan, into digits: UnsafeMutableRawBufferPointer) {
    precondition(digits.count >= bytes.byteCount * 2, "two digits a byte")
    unsafe bytes.withUnsafeBytes { bytes in
      let digits = unsafe digits.cBytes
      for index in bytes.indices {
        let byte = unsafe bytes[index]
        unsafe digits[index &* 2] = digit(byte &>> 4)
        unsafe digits[index &* 2 &+ 1] = digit(byte & 15)
      }
    }
  }

  /// The bytes that `text` encodes.
  ///
  /// - Parameters:
  ///   - text: ASCII digits.
  ///   - upperCase: whether `A` to `F` are digits too.
  /// - Returns: half as many bytes as digits; nil when a character is not a digit or the number of
  ///   digits is odd.
  public static func decode(_ text: RawSpan, upperCase: Bool = false) -> [UInt8]? {
    guard text.byteCount % 2 == 0 else { return nil }
    var valid = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: text.byteCount / 2) { bytes, filled in
      valid = unsafe decode(text, upperCase: upperCase, into: UnsafeMutableRawBufferPointer(bytes))
      filled = text.byteCount / 2
    }
    return valid ? bytes : nil
  }

  /// Whether a text is an even number of lower-case digits; the time does not depend on them.
  public static func isValid(_ text: RawSpan) -> Bool {
    var wrong: UInt8 = 0
    for index in 0..<text.byteCount {
      wrong |= unsafe value(text.unsafeLoad(fromByteOffset: index, as: UInt8.self), fold: 0) & 0xF0
    }
    return text.byteCount % 2 == 0 && wrong == 0
  }

  /// Decodes digits into guarded memory that is reused.
  ///
  /// - Parameters:
  ///   - text: ASCII digits.
  ///   - upperCase: whether `A` to `F` are digits too.
  ///   - bytes: afterwards the bytes.
  /// - Returns: whether `text` was valid; if not, `bytes` is empty.
  public static func decode(
    _ text: RawSpan, upperCase: Bool = false, into bytes: inout SecretBytes
  ) -> Bool {
    guard text.byteCount % 2 == 0 else {
      bytes.resize(to: 0)
      return false
    }
    bytes.reuse(count: text.byteCount / 2)
    let valid = unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe decode(text, upperCase: upperCase, into: bytes)
    }
    if !valid { bytes.resize(to: 0) }
    return valid
  }

  /// Decodes an even number of digits into half as many bytes.
  private static func decode(
    _ text: RawSpan, upperCase: Bool, into bytes: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let fold: UInt8 = upperCase ? 0x20 : 0
    var wrong: UInt8 = 0
    unsafe text.withUnsafeBytes { text in
      let digits = unsafe text.cBytes
      let bytes = unsafe bytes.cBytes
      for index in 0..<(text.count / 2) {
        let high = unsafe value(digits[index &* 2], fold: fold)
        let low = unsafe value(digits[index &* 2 &+ 1], fold: fold)
        wrong |= (high | low) & 0xF0
        unsafe bytes[index] = (high &<< 4) | (low & 15)
      }
    }
    return wrong == 0
  }

  /// The digit of a value below 16.
  @inline(__always)
  private static func digit(_ value: UInt8) -> UInt8 {
    // 39 is the distance from the character after `9` to `a`. The borrow of the subtraction selects
    // it for 10 and above.
    value &+ 48 &+ (((9 &- value) &>> 7) &* 39)
  }

  /// The value of a digit below 16; any other character gives a value with a high bit set.
  @inline(__always)
  private static func value(_ digit: UInt8, fold: UInt8) -> UInt8 {
    let number = digit ^ 0x30
    let isNumber = 0 &- ((number &- 10) &>> 7 & ~(number &>> 7))
    let letter = (digit | fold) &- 97
    let isLetter = 0 &- ((letter &- 6) &>> 7 & ~(letter &>> 7))
    return (number & isNumber) | ((letter &+ 10) & isLetter) | (~(isNumber | isLetter) & 0xF0)
  }
}
