/// Crockford's base32 alphabet without I, L, O and U, for codes that people copy by hand
/// (https://www.crockford.com/base32.html).
public enum CrockfordBase32 {
  /// The symbols of 0 to 31 in ASCII.
  public static let lowerCase: [UInt8] = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
  /// The same symbols in upper case.
  public static let upperCase: [UInt8] = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// The value of a symbol in either case; O is 0, I and L are 1.
  ///
  /// - Parameter byte: any byte, in ASCII.
  /// - Returns: 0 to 31, or nil.
  public static func value(of byte: UInt8) -> UInt8? {
    let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    switch isCapital ? byte | 0x20 : byte {
    case UInt8(ascii: "o"): return 0
    case UInt8(ascii: "i"), UInt8(ascii: "l"): return 1
    case let small: return lowerCase.firstIndex(of: small).map { UInt8($0) }
    }
  }
}
