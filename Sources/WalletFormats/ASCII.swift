internal import SecretMemory

/// Reads text byte by byte in place: a `String` of a secret would leave copies in ordinary memory.
enum ASCII {
  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  /// Whether a byte is white space or a character that is seen.
  static func isPrintable(_ byte: UInt8) -> Bool { isSpace(byte) || (0x20...0x7E).contains(byte) }

  /// The size of an unusual space at `offset` in bytes, or 0.
  ///
  /// These are the spaces that BIP-39's NFKD converts to one, as in word processors and web pages.
  static func unusualSpaceLength(_ text: RawSpan, at offset: Int) -> Int {
    guard text.byte(offset) >= 0x80 else { return 0 }
    // U+00A0, U+2000 to U+200A, U+202F, U+205F, U+3000.
    if text.starts(with: [0xC2, 0xA0], at: offset) { return 2 }
    for (second, thirds) in [(0x80, 0x80...0x8A), (0x80, 0xAF...0xAF), (0x81, 0x9F...0x9F)]
      as [(UInt8, ClosedRange<UInt8>)]
    where text.starts(with: [0xE2, second], at: offset) && offset + 2 < text.byteCount
      && thirds.contains(text.byte(offset + 2))
    {
      return 3
    }
    return text.starts(with: [0xE3, 0x80, 0x80], at: offset) ? 3 : 0
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte)
  }

  static func isLetter(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte | 0x20)
  }

  static func isHexDigit(_ byte: UInt8) -> Bool {
    Hex.isDigit(byte, upperCase: true)
  }

  /// The value of a digit accepted by ``isHexDigit(_:)``.
  static func hexValue(_ byte: UInt8) -> UInt8 {
    isDigit(byte) ? byte - 0x30 : (byte | 0x20) - 0x61 + 10
  }

  /// The range of `text` without a byte order mark and without white space at both ends.
  ///
  /// Editors add the mark; shells and files add the white space.
  static func trimmed(_ text: RawSpan) -> Range<Int> {
    var start = text.starts(with: [0xEF, 0xBB, 0xBF], at: 0) ? 3 : 0
    var end = text.byteCount
    while start < end, isSpace(text.byte(start)) { start += 1 }
    while end > start, isSpace(text.byte(end - 1)) { end -= 1 }
    return start..<end
  }

  /// Trims the text and throws the two errors common to all single-line secrets.
  static func trimmed(_ text: RawSpan, limit: Int) throws(WalletFormatError) -> Range<Int> {
    guard text.byteCount <= limit else { throw .tooLong(limit: limit) }
    let range = trimmed(text)
    guard !range.isEmpty else { throw .empty }
    return range
  }

  /// Passes each line that is not blank, and its number, to a closure; omits a byte order mark.
  static func forEachLine<E: Error>(
    in text: RawSpan, _ body: (_ line: Range<Int>, _ number: Int) throws(E) -> Void
  ) throws(E) {
    var number = 0
    var start = text.starts(with: [0xEF, 0xBB, 0xBF], at: 0) ? 3 : 0
    while start < text.byteCount {
      var end = start
      while end < text.byteCount, text.byte(end) != 0x0A { end += 1 }
      number += 1
      if !trimmed(text.extracting(start..<end)).isEmpty { try body(start..<end, number) }
      start = end + 1
    }
  }

  /// Encodes bytes that are not secret in lower-case hexadecimal.
  static func hex(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes {
      if byte < 16 { text.append("0") }
      text.append(String(byte, radix: 16))
    }
    return text
  }
}

extension RawSpan {
  /// The byte at `offset`; an offset out of bounds ends the program.
  func byte(_ offset: Int) -> UInt8 {
    // Every byte is a valid value, and the call checks the bounds.
    unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// Whether the bytes at `offset` begin with `prefix`.
  func starts(with prefix: some Collection<UInt8>, at offset: Int) -> Bool {
    guard byteCount - offset >= prefix.count else { return false }
    var index = offset
    for expected in prefix {
      if byte(index) != expected { return false }
      index += 1
    }
    return true
  }

  /// Whether the bytes are exactly those of `text`.
  func equals(_ text: String) -> Bool {
    byteCount == text.utf8.count && starts(with: text.utf8, at: 0)
  }

  /// Whether every byte of `range` is a hexadecimal digit.
  func isHex(_ range: Range<Int>) -> Bool {
    for offset in range where !ASCII.isHexDigit(byte(offset)) { return false }
    return true
  }
}

extension MutableRawSpan {
  /// Writes one byte; an offset out of bounds ends the program.
  mutating func set(_ offset: Int, _ byte: UInt8) {
    storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
  }
}
