/// The checksum of output descriptors (BIP-380, "Checksum"): a code over GF(32) that detects any
/// three wrong characters.
enum DescriptorChecksum {
  static let size = 8

  private static let inputAlphabet: [UInt8] =
    Array(
      ##"0123456789()[],'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~"##.utf8)
    + Array(##"ijklmnopqrstuvwxyzABCDEFGH`#"\ "##.utf8)
  private static let alphabet: [UInt8] = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
  private static let generator: [UInt64] = [
    0xF5_DEE5_1989, 0xA9_FDCA_3312, 0x1B_AB10_E32D, 0x37_06B1_677A, 0x64_4D62_6FFD,
  ]

  /// The 8 checksum characters for `body`.
  ///
  /// - Throws: `invalidCharacter` for a character outside the set.
  static func characters(for body: RawSpan) throws(WalletFormatError) -> [UInt8] {
    var remainder: UInt64 = 1
    // After every third character the three groups follow as one symbol. So a change within a
    // group, or of a group, changes only one symbol.
    var groups: UInt64 = 0
    for offset in 0..<body.byteCount {
      guard let value = value(of: body.byte(offset)) else {
        throw .invalidCharacter(position: offset + 1)
      }
      feed(value & 31, to: &remainder)
      groups = groups * 3 + value >> 5
      if offset % 3 == 2 {
        feed(groups, to: &remainder)
        groups = 0
      }
    }
    if body.byteCount % 3 != 0 { feed(groups, to: &remainder) }
    for _ in 0..<size { feed(0, to: &remainder) }
    let checksum = remainder ^ 1
    return (0..<size).map { alphabet[Int(checksum >> (5 * UInt64(size - 1 - $0)) & 31)] }
  }

  /// Whether every byte is in the checksum's own alphabet.
  static func isWellFormed(_ checksum: RawSpan) -> Bool {
    guard checksum.byteCount == size else { return false }
    for offset in 0..<size where !alphabet.contains(checksum.byte(offset)) { return false }
    return true
  }

  private static func feed(_ symbol: UInt64, to remainder: inout UInt64) {
    let top = remainder >> 35
    remainder = (remainder & 0x7_FFFF_FFFF) << 5 ^ symbol
    for index in 0..<5 where top >> UInt64(index) & 1 == 1 { remainder ^= generator[index] }
  }

  /// The value of a character; reads the whole alphabet whatever the character is.
  private static func value(of character: UInt8) -> UInt64? {
    var found: UInt64 = 0
    for (value, candidate) in inputAlphabet.enumerated() {
      let equal = (UInt64(character ^ candidate) &- 1) >> 63
      found |= UInt64(value + 1) & (0 &- equal)
    }
    return found == 0 ? nil : found - 1
  }
}
