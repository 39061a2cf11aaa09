/// Base64 (RFC 4648), parsed strictly: every sequence of bytes has exactly one encoding.
///
/// It allows no white space and no characters of another alphabet. Padding must be exactly as the
/// alphabet requires, and unused bits must be zero.
public enum Base64 {
  /// The two alphabets in use.
  public enum Alphabet: Sendable {
    /// `+` and `/`, with padding (section 4).
    case standard
    /// `-` and `_`, without padding (section 5).
    case url
  }

  /// Encodes `bytes` as ASCII characters.
  public static func encode(_ bytes: RawSpan, _ alphabet: Alphabet) -> [UInt8] {
    let count = encodedSize(bytes.byteCount, alphabet)
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { output, filled in
      unsafe encode(bytes, alphabet, into: UnsafeMutableRawBufferPointer(output))
      filled = count
    }
  }

  /// Encodes `bytes` into a buffer of ASCII characters.
  ///
  /// - Precondition: `characters` has room for ``encodedSize(_:_:)`` of them.
  public static func encode(
    _ bytes: RawSpan, _ alphabet: Alphabet, into characters: UnsafeMutableRawBufferPointer
  ) {
    precondition(characters.count >= encodedSize(bytes.byteCount, alphabet), "room for all")
    unsafe bytes.withUnsafeBytes { unsafe encode($0, alphabet, into: characters) }
  }

  /// Encodes `bytes` in place, where a second copy would need too much memory.
  ///
  /// - Parameters:
  ///   - bytes: afterwards the ASCII characters, after `offset` bytes of any value.
  ///   - alphabet: the alphabet.
  ///   - offset: the number of bytes to leave before the characters.
  public static func encode(
    inPlace bytes: inout SecretBytes, _ alphabet: Alphabet, at offset: Int = 0
  ) {
    let count = bytes.count
    let size = offset + encodedSize(count, alphabet)
    bytes.reserve(size)
    bytes.resize(to: size)
    unsafe bytes.withUnsafeMutableBytes { memory in
      unsafe encode(
        UnsafeRawBufferPointer(rebasing: memory[..<count]), alphabet,
        into: UnsafeMutableRawBufferPointer(rebasing: memory[offset...]))
    }
  }

  /// Encodes `bytes` as a string.
  public static func string(_ bytes: [UInt8], _ alphabet: Alphabet) -> String {
    unsafe String(decoding: encode(bytes.span.bytes, alphabet), as: UTF8.self)
  }

  /// The number of characters that encode `count` bytes.
  public static func encodedSize(_ count: Int, _ alphabet: Alphabet) -> Int {
    alphabet == .standard ? (count + 2) / 3 * 4 : (count * 4 + 2) / 3
  }

  /// Decodes `text`; nil unless it is the exact encoding of some bytes.
  public static func decode(_ text: RawSpan, _ alphabet: Alphabet) -> [UInt8]? {
    guard let count = decodedSize(text, alphabet) else { return nil }
    var valid = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
      valid = unsafe decode(text, alphabet, into: UnsafeMutableRawBufferPointer(bytes), count)
      filled = count
    }
    return valid ? bytes : nil
  }

  /// Decodes into guarded memory that is reused.
  ///
  /// - Returns: whether `text` was valid; if not, `bytes` is empty.
  public static func decode(
    _ text: RawSpan, _ alphabet: Alphabet, into bytes: inout SecretBytes
  ) -> Bool {
    guard let count = decodedSize(text, alphabet) else {
      bytes.resize(to: 0)
      return false
    }
    bytes.reuse(count: count)
    let valid = unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe decode(text, alphabet, into: bytes, count)
    }
    if !valid { bytes.resize(to: 0) }
    return valid
  }

  /// Decodes part of `text` in place, where a second copy would need too much memory.
  ///
  /// The decoded bytes replace all of `text`.
  ///
  /// - Parameters:
  ///   - text: afterwards the decoded bytes.
  ///   - range: the range of the characters.
  ///   - alphabet: the alphabet.
  /// - Returns: whether the characters were valid; if not, `text` is empty.
  public static func decode(
    inPlace text: inout SecretBytes, _ range: Range<Int>, _ alphabet: Alphabet
  ) -> Bool {
    let count = text.withBytes { decodedSize($0.extracting(range), alphabet) }
    guard let count else {
      text.resize(to: 0)
      return false
    }
    let valid = unsafe text.withUnsafeMutableBytes { memory in
      unsafe decode(
        UnsafeRawBufferPointer(rebasing: memory[range]), alphabet, into: memory, count)
    }
    text.resize(to: valid ? count : 0)
    return valid
  }

  /// Whether `text` is the exact encoding of some bytes.
  public static func isValid(_ text: RawSpan, _ alphabet: Alphabet) -> Bool {
    guard let count = decodedSize(text, alphabet) else { return false }
    let characters = (count * 4 + 2) / 3
    let table = alphabet == .standard ? Tables.standardValues : Tables.urlValues
    var wrong: UInt8 = 0
    var last: UInt8 = 0
    unsafe table.withUnsafeBufferPointer { table in
      for index in 0..<characters {
        last = unsafe table[Int(text.unsafeLoad(fromByteOffset: index, as: UInt8.self))]
        wrong |= last
      }
    }
    let unused: UInt8 = count % 3 == 1 ? 15 : count % 3 == 2 ? 3 : 0
    return wrong & 0xC0 == 0 && last & unused == 0
  }

  /// The number of bytes that a text of this size and padding encodes.
  private static func decodedSize(_ text: RawSpan, _ alphabet: Alphabet) -> Int? {
    var characters = text.byteCount
    if alphabet == .standard {
      guard characters % 4 == 0 else { return nil }
      for _ in 0..<2 where characters > 0 {
        let last = unsafe text.unsafeLoad(fromByteOffset: characters - 1, as: UInt8.self)
        if last == UInt8(ascii: "=") { characters -= 1 }
      }
    }
    return characters % 4 == 1 ? nil : characters * 3 / 4
  }

  private static func encode(
    _ bytes: UnsafeRawBufferPointer, _ alphabet: Alphabet,
    into output: UnsafeMutableRawBufferPointer
  ) {
    let table = alphabet == .standard ? Tables.standard : Tables.url
    unsafe table.withUnsafeBufferPointer { table in
      unsafe encode(
        bytes, table, pad: alphabet == .standard,
        into: output.assumingMemoryBound(to: UInt8.self))
    }
  }

  /// Encodes from the last group to the first, so that `output` may overlap `bytes` from its start
  /// on; no byte is overwritten unread.
  private static func encode(
    _ bytes: UnsafeRawBufferPointer, _ table: UnsafeBufferPointer<UInt8>, pad: Bool,
    into output: UnsafeMutableBufferPointer<UInt8>
  ) {
    var index = (bytes.count + 2) / 3 * 3
    while index > 0 {
      index -= 3
      let left = bytes.count - index
      var group = unsafe UInt32(bytes[index]) &<< 16
      if left > 1 { unsafe group |= UInt32(bytes[index + 1]) &<< 8 }
      if left > 2 { unsafe group |= UInt32(bytes[index + 2]) }
      let start = index / 3 * 4
      for place in 0..<4 {
        if place <= left {
          unsafe output[start + place] = table[Int(group &>> UInt32(18 - 6 * place) & 63)]
        } else if pad {
          unsafe output[start + place] = UInt8(ascii: "=")
        }
      }
    }
  }

  private static func decode(
    _ text: RawSpan, _ alphabet: Alphabet, into output: UnsafeMutableRawBufferPointer, _ count: Int
  ) -> Bool {
    unsafe text.withUnsafeBytes { unsafe decode($0, alphabet, into: output, count) }
  }

  private static func decode(
    _ text: UnsafeRawBufferPointer, _ alphabet: Alphabet,
    into output: UnsafeMutableRawBufferPointer, _ count: Int
  ) -> Bool {
    let table = alphabet == .standard ? Tables.standardValues : Tables.urlValues
    return unsafe table.withUnsafeBufferPointer { table in
      unsafe decode(text.cBytes, table, into: output.cBytes, count)
    }
  }

  /// Decodes from the first group to the last, so that `output` may overlap `text` up to its start;
  /// no character is overwritten unread.
  private static func decode(
    _ text: UnsafePointer<UInt8>, _ table: UnsafeBufferPointer<UInt8>,
    into output: UnsafeMutablePointer<UInt8>, _ count: Int
  ) -> Bool {
    let values = unsafe table.baseAddress ?? text
    var wrong: UInt8 = 0
    var read = 0
    var written = 0
    while written &+ 3 <= count {
      let a = unsafe values[Int(text[read])]
      let b = unsafe values[Int(text[read &+ 1])]
      let c = unsafe values[Int(text[read &+ 2])]
      let d = unsafe values[Int(text[read &+ 3])]
      wrong |= a | b | c | d
      unsafe output[written] = (a &<< 2) | (b &>> 4)
      unsafe output[written &+ 1] = (b &<< 4) | (c &>> 2)
      unsafe output[written &+ 2] = (c &<< 6) | d
      read &+= 4
      written &+= 3
    }
    if written < count {
      // One or two bytes are left, in two or three characters; the last character has bits that
      // must be zero.
      let a = unsafe values[Int(text[read])]
      let b = unsafe values[Int(text[read &+ 1])]
      let c = count &- written == 2 ? unsafe values[Int(text[read &+ 2])] : 0
      wrong |= a | b | c
      unsafe output[written] = (a &<< 2) | (b &>> 4)
      if count &- written == 2 {
        unsafe output[written &+ 1] = (b &<< 4) | (c &>> 2)
        if c & 3 != 0 { return false }
      } else if b & 15 != 0 {
        return false
      }
    }
    return wrong & 0xC0 == 0
  }

  /// The characters by value, and the values by character, with 255 for all other characters.
  private enum Tables {
    static let standard = letters(UInt8(ascii: "+"), UInt8(ascii: "/"))
    static let url = letters(UInt8(ascii: "-"), UInt8(ascii: "_"))
    static let standardValues = values(of: standard)
    static let urlValues = values(of: url)

    private static func letters(_ plus: UInt8, _ slash: UInt8) -> [UInt8] {
      Array(UInt8(ascii: "A")...UInt8(ascii: "Z")) + Array(UInt8(ascii: "a")...UInt8(ascii: "z"))
        + Array(UInt8(ascii: "0")...UInt8(ascii: "9")) + [plus, slash]
    }

    private static func values(of letters: [UInt8]) -> [UInt8] {
      var values = [UInt8](repeating: 255, count: 256)
      for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
      return values
    }
  }
}
