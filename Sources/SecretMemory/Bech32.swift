/// Text with a checksum that notices mistyped characters: Bech32 (BIP-173) and Bech32m (BIP-350).
///
/// The values may be those of a secret key, so they and the text are kept in guarded memory.
public enum Bech32 {
  /// The two checksums, which differ in one constant.
  public enum Variant: UInt32, Sendable {
    /// Bech32, which NIP-19 uses.
    case bech32 = 1
    /// Bech32m, which also notices a missing or an added `q` before a last `p`.
    case bech32m = 0x2bc8_30a3
  }

  /// The reason why a text is refused; it repeats nothing of the text.
  public struct Mistake: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason in words.
    public let description: String

    init(_ description: String) { self.description = description }
  }

  /// The most characters of a Bech32 string by BIP-173.
  public static let maximumSize = 90
  private static let checksumSize = 6
  private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)

  /// The two parts of a string.
  public struct Decoded: ~Copyable {
    /// The human-readable part, in lower case.
    public let prefix: String
    /// The data without the checksum, five bits per byte.
    public let values: SecretBytes
  }

  /// Decodes a string.
  ///
  /// - Parameters:
  ///   - text: ASCII; upper-case letters only if all are.
  ///   - variant: the checksum.
  ///   - maximumSize: the most characters.
  /// - Returns: the two parts.
  /// - Throws: ``Mistake``.
  public static func decode(
    _ text: RawSpan, _ variant: Variant = .bech32, maximumSize: Int = maximumSize
  ) throws(Mistake) -> Decoded {
    let count = text.byteCount
    guard count <= maximumSize else {
      throw Mistake("longer than \(maximumSize) characters")
    }
    var separator: Int?
    var (hasLower, hasUpper) = (false, false)
    for index in 0..<count {
      let byte = text.character(index)
      guard (33...126).contains(byte) else {
        throw Mistake("a character beyond ASCII's signs")
      }
      if byte == UInt8(ascii: "1") { separator = index }
      if (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) { hasLower = true }
      if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) { hasUpper = true }
    }
    if hasLower, hasUpper { throw Mistake("capital and small letters mixed") }
    guard let separator else { throw Mistake("no separator 1") }
    if separator == 0 { throw Mistake("nothing before the separator") }
    guard count - separator - 1 >= checksumSize else { throw Mistake("too short") }

    var prefix: [UInt8] = []
    for index in 0..<separator { prefix.append(text.character(index).lowercased) }
    var values = SecretBytes(zeroed: count - separator - 1)
    for index in 0..<values.count {
      let byte = text.character(separator + 1 + index).lowercased
      guard let value = alphabet.firstIndex(of: byte) else {
        throw Mistake("a character that stands for nothing")
      }
      values.set(index, UInt8(value))
    }
    guard checksum(prefix, values) == variant.rawValue else {
      throw Mistake("its checksum is wrong")
    }
    values.resize(to: values.count - checksumSize)
    return Decoded(prefix: String(decoding: prefix, as: UTF8.self), values: values)
  }

  /// Encodes a string in lower case.
  ///
  /// - Parameters:
  ///   - prefix: lower-case ASCII.
  ///   - values: five bits per byte; together with the prefix at most 83 of them by BIP-173.
  ///   - variant: the checksum.
  /// - Returns: the string's ASCII.
  public static func encode(
    prefix: String, values: borrowing SecretBytes, _ variant: Variant = .bech32
  ) -> SecretBytes {
    let prefix = Array(prefix.utf8)
    var padded = SecretBytes(zeroed: values.count + checksumSize)
    for index in 0..<values.count { padded.set(index, values.byte(index)) }
    let sum = checksum(prefix, padded) ^ variant.rawValue
    for index in 0..<checksumSize {
      padded.set(values.count + index, UInt8(sum >> (5 * (5 - UInt32(index))) & 31))
    }
    var text = SecretBytes(zeroed: prefix.count + 1 + padded.count)
    for (index, byte) in prefix.enumerated() { text.set(index, byte) }
    text.set(prefix.count, UInt8(ascii: "1"))
    for index in 0..<padded.count {
      text.set(prefix.count + 1 + index, alphabet[Int(padded.byte(index))])
    }
    return text
  }

  /// BIP-173's checksum over the expanded prefix and the values.
  private static func checksum(_ prefix: [UInt8], _ values: borrowing SecretBytes) -> UInt32 {
    var sum = Checksum()
    for byte in prefix { sum.add(byte >> 5) }
    sum.add(0)
    for byte in prefix { sum.add(byte & 31) }
    for index in 0..<values.count { sum.add(values.byte(index)) }
    return sum.value
  }

  private struct Checksum {
    private(set) var value: UInt32 = 1
    private static let generator: [UInt32] = [
      0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3,
    ]

    mutating func add(_ five: UInt8) {
      let top = value >> 25
      value = (value & 0x1ff_ffff) << 5 ^ UInt32(five)
      for bit in 0..<5 { value ^= Self.generator[bit] & (0 &- (top >> UInt32(bit) & 1)) }
    }
  }
}

extension Bech32 {
  /// Splits bytes into groups of five bits; the last group is filled with zeroes.
  public static func values(of bytes: borrowing SecretBytes) -> SecretBytes {
    var values = SecretBytes(zeroed: (bytes.count * 8 + 4) / 5)
    for bit in 0..<bytes.count * 8 where bytes.byte(bit / 8) >> (7 - UInt8(bit % 8)) & 1 == 1 {
      values.set(bit / 5, values.byte(bit / 5) | 1 << (4 - UInt8(bit % 5)))
    }
    return values
  }

  /// Joins groups of five bits into bytes.
  ///
  /// - Throws: ``Mistake`` when more than four bits are left over, or one of
  ///   them is not zero.
  public static func bytes(of values: borrowing SecretBytes) throws(Mistake) -> SecretBytes {
    let bits = values.count * 5
    var bytes = SecretBytes(zeroed: bits / 8)
    guard bits % 8 < 5 else { throw Mistake("left-over bits") }
    for bit in 0..<bits where values.byte(bit / 5) >> (4 - UInt8(bit % 5)) & 1 == 1 {
      guard bit / 8 < bytes.count else { throw Mistake("left-over bits") }
      bytes.set(bit / 8, bytes.byte(bit / 8) | 1 << (7 - UInt8(bit % 8)))
    }
    return bytes
  }
}

extension UInt8 {
  /// The lower case of an upper-case ASCII letter.
  fileprivate var lowercased: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}

extension RawSpan {
  /// The byte at an index.
  fileprivate func character(_ index: Int) -> UInt8 {
    unsafe unsafeLoad(fromByteOffset: index, as: UInt8.self)
  }
}

extension SecretBytes {
  /// The byte at an index.
  fileprivate borrowing func byte(_ index: Int) -> UInt8 { withBytes { $0.character(index) } }

  /// Changes one byte.
  fileprivate mutating func set(_ index: Int, _ byte: UInt8) {
    withMutableBytes { $0.storeBytes(of: byte, toByteOffset: index, as: UInt8.self) }
  }
}
