internal import SecretMemory

/// The reason why a base58check text is rejected.
enum Base58Error: Error {
  /// A character at this offset is outside the alphabet.
  case character(Int)
  /// The length differs from that of the requested payload.
  case length
  case checksum
}

/// Decodes and encodes base58check in guarded memory.
///
/// The text is a big-endian number in base 58 that ends with four bytes of double SHA-256.
enum Base58 {
  private static let alphabet: [UInt8] = Array(
    "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)
  private static let checksumSize = 4

  /// Decodes `text` to exactly `count` bytes; verifies and removes the checksum.
  static func decode(_ text: RawSpan, count: Int) throws(Base58Error) -> SecretBytes {
    // 58^1.37 > 256: a longer text cannot encode so few bytes.
    guard text.byteCount <= (count + checksumSize) * 137 / 100 + 2 else { throw .length }
    var bytes = SecretBytes(zeroed: count + checksumSize)
    try bytes.withMutableBytes { bytes throws(Base58Error) in
      var overflow = 0
      for offset in 0..<text.byteCount {
        guard let digit = digit(text.byte(offset)) else { throw .character(offset) }
        var carry = digit
        for index in stride(from: bytes.byteCount - 1, through: 0, by: -1) {
          carry += Int(bytes.bytes.byte(index)) * 58
          bytes.set(index, UInt8(truncatingIfNeeded: carry))
          carry >>= 8
        }
        overflow |= carry
      }
      // Each leading `1` stands for one leading zero byte. Anything else is a different length, or
      // a second encoding of the same bytes.
      let ones = leading(0x31, of: text)
      guard overflow == 0, ones == leading(0, of: bytes.bytes) else { throw .length }
      guard checksumFits(bytes.bytes) else { throw .checksum }
    }
    bytes.resize(to: count)
    return bytes
  }

  /// Encodes `payload` with its checksum.
  static func encode(_ payload: RawSpan) -> SecretBytes {
    let check = checksum(of: payload)
    let size = payload.byteCount + checksumSize
    let capacity = size * 138 / 100 + 1
    var digits = SecretBytes(zeroed: capacity)
    let zeroes = digits.withMutableBytes { digits in
      for offset in 0..<size {
        var carry = Int(
          offset < payload.byteCount
            ? payload.byte(offset) : check[offset - payload.byteCount])
        for index in stride(from: capacity - 1, through: 0, by: -1) {
          carry += Int(digits.bytes.byte(index)) << 8
          digits.set(index, UInt8(truncatingIfNeeded: carry % 58))
          carry /= 58
        }
      }
      return leading(0, of: digits.bytes)
    }
    let ones = leading(0, of: payload)
    return SecretBytes(count: capacity - zeroes + ones) { text in
      digits.withBytes { digits in
        for index in 0..<ones { text.set(index, 0x31) }
        for index in zeroes..<capacity {
          text.set(index - zeroes + ones, alphabet[Int(digits.byte(index))])
        }
      }
    }
  }

  /// The value of a character; compares with the whole alphabet, so that the time does not reveal a
  /// secret's character.
  private static func digit(_ character: UInt8) -> Int? {
    var found = 0
    for (value, candidate) in alphabet.enumerated() {
      let difference = UInt64(character ^ candidate)
      let equal = Int(truncatingIfNeeded: (difference &- 1) >> 63)
      found |= (value + 1) & (0 &- equal)
    }
    return found == 0 ? nil : found - 1
  }

  private static func leading(_ byte: UInt8, of bytes: RawSpan) -> Int {
    var count = 0
    while count < bytes.byteCount, bytes.byte(count) == byte { count += 1 }
    return count
  }

  private static func checksumFits(_ bytes: RawSpan) -> Bool {
    let size = bytes.byteCount - checksumSize
    return bytes.starts(with: checksum(of: bytes.extracting(0..<size)), at: size)
  }

  private static func checksum(of payload: RawSpan) -> ArraySlice<UInt8> {
    SHA256.hash(SHA256.hash(payload)).prefix(checksumSize)
  }
}
