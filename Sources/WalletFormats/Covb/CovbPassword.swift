public import SecretMemory
@_spi(_Unicode) internal import Swift

/// The password of a `.covb` file as the format requires it: without white space.
public struct CovbPassword: ~Copyable {
  /// The fewest characters other than white space.
  public static let minimumLength = 20
  /// The longest input that is read, 1024 bytes.
  public static let sizeLimit = 1024

  let text: SecretBytes

  /// The ways in which a character with an accent may be encoded.
  ///
  /// Cove takes the bytes that the phone's keyboard gave; another keyboard may give others.
  enum Form: CaseIterable {
    case typed
    /// Unicode's normal form C.
    case composed
    /// Unicode's normal form D.
    case decomposed
  }

  /// The password in a form; `nil` if it has the same bytes in an earlier form.
  ///
  /// ASCII stays in guarded memory. Other text passes through a `String`, whose copy cannot be wiped:
  /// only the standard library can normalise.
  func text(in form: Form) -> SecretBytes? {
    if form == .typed { return text.copy() }
    let isASCII = text.withBytes { text in
      (0..<text.byteCount).allSatisfy { text.byte($0) < 0x80 }
    }
    if isASCII { return nil }
    let string = unsafe text.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
    guard let string else { return nil }
    let composed = Self.encoded(string._nfc, capacity: text.count)
    if form == .composed {
      if composed.isEqual(to: text) { return nil }
      return composed
    }
    let decomposed = Self.encoded(string._nfd, capacity: text.count)
    if decomposed.isEqual(to: text) || decomposed.isEqual(to: composed) { return nil }
    return decomposed
  }

  private static func encoded(
    _ scalars: some Sequence<Unicode.Scalar>, capacity: Int
  ) -> SecretBytes {
    // Normalisation makes a text at most three times as long (Unicode Standard Annex 15).
    var bytes = SecretBytes(zeroed: 3 * capacity)
    var count = 0
    for scalar in scalars {
      for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
        bytes.withMutableBytes { $0.set(count, byte) }
        count += 1
      }
    }
    bytes.resize(to: count)
    return bytes
  }

  /// Removes the white space from typed text.
  ///
  /// - Throws: ``WalletFormatError``: `tooLong`, `covbPasswordText`,
  ///   `covbPasswordTooShort`.
  public init(cleaning input: borrowing SecretBytes) throws(WalletFormatError) {
    guard input.count <= Self.sizeLimit else { throw .tooLong(limit: Self.sizeLimit) }
    var text = SecretBytes(zeroed: input.count)
    var size = 0
    var length = 0
    try input.withBytes { input throws(WalletFormatError) in
      var offset = 0
      while offset < input.byteCount {
        let end = try Self.end(ofCharacterAt: offset, in: input)
        if !Self.isSpace(input.extracting(offset..<end)) {
          text.withMutableBytes { text in
            for place in offset..<end { text.set(size + place - offset, input.byte(place)) }
          }
          size += end - offset
          length += 1
        }
        offset = end
      }
    }
    guard length >= Self.minimumLength else { throw .covbPasswordTooShort }
    text.resize(to: size)
    self.text = text
  }

  /// Generates a password of 125 random bits in groups that are easy to copy.
  ///
  /// It has five groups of five of Crockford's 32 characters; the spaces between them are ignored.
  public static func generate() -> SecretBytes {
    let random = SecretBytes.random(count: 25)
    return SecretBytes(count: 29) { text in
      random.withBytes { random in
        for index in 0..<25 {
          if index % 5 == 0, index > 0 { text.set(index / 5 * 6 - 1, 0x20) }
          text.set(
            index / 5 * 6 + index % 5, CrockfordBase32.lowerCase[Int(random.byte(index) & 31)])
        }
      }
    }
  }

  /// The end of the UTF-8 sequence at `offset`.
  private static func end(
    ofCharacterAt offset: Int, in text: RawSpan
  ) throws(WalletFormatError) -> Int {
    let first = text.byte(offset)
    let size =
      switch first {
      case ..<0x80: 1
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 0
      }
    guard size > 0, offset + size <= text.byteCount else { throw .covbPasswordText }
    for place in 1..<max(size, 1) where text.byte(offset + place) & 0xC0 != 0x80 {
      throw .covbPasswordText
    }
    return offset + size
  }

  /// Whether a character has Unicode's property White_Space.
  private static func isSpace(_ character: RawSpan) -> Bool {
    if character.byteCount == 1 { return ASCII.isSpace(character.byte(0)) }
    var number: UInt32 = 0
    for offset in 0..<character.byteCount { number = number << 8 | UInt32(character.byte(offset)) }
    switch number {
    // U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F, U+3000.
    case 0xC285, 0xC2A0, 0xE19A80, 0xE28080...0xE2808A, 0xE280A8, 0xE280A9, 0xE280AF, 0xE2819F,
      0xE38080:
      return true
    default: return false
    }
  }
}
