/// A cyclic redundancy check of 32 bits.
///
/// It uses no table: the bytes may be a secret, and no address depends on them.
struct CRC32 {
  /// The polynomial of PNG (annex D) and of Monero's words.
  static let common = CRC32(polynomial: 0xEDB8_8320)
  /// Castagnoli's polynomial.
  static let castagnoli = CRC32(polynomial: 0x82F6_3B78)

  /// The polynomial with its bits reversed.
  let polynomial: UInt32

  /// The check of `bytes`.
  func of(_ bytes: RawSpan) -> UInt32 {
    var value: UInt32 = 0xFFFF_FFFF
    for offset in 0..<bytes.byteCount {
      value ^= UInt32(bytes.byte(offset))
      for _ in 0..<8 { value = value >> 1 ^ (polynomial & (0 &- (value & 1))) }
    }
    return ~value
  }
}
