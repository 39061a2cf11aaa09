/// Checks JSON (RFC 8259) where it lies, taking nothing out of it.
struct JSONScanner {
  /// Not JSON, or nested too deeply.
  struct Failure: Error {}

  /// Deepest nesting; BIP-329 needs two.
  private static let depthLimit = 32

  private(set) var position = 0
  private var depth = 0

  init() {}

  func peek(_ text: RawSpan) -> UInt8? {
    position < text.byteCount ? text.byte(position) : nil
  }

  mutating func skipSpace(_ text: RawSpan) {
    while let byte = peek(text), byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      position += 1
    }
  }

  /// Moves on if `word` is next.
  mutating func skip(_ word: StaticString, _ text: RawSpan) -> Bool {
    let size = word.utf8CodeUnitCount
    let isNext = word.withUTF8Buffer { unsafe text.starts(with: $0, at: position) }
    if isNext { position += size }
    return isNext
  }

  mutating func expect(_ word: StaticString, _ text: RawSpan) throws(Failure) {
    guard skip(word, text) else { throw Failure() }
  }

  /// Any value.
  mutating func value(_ text: RawSpan) throws(Failure) {
    switch peek(text) {
    case 0x22: _ = try string(text)
    case 0x7B: try members(text, "{", "}", named: true)
    case 0x5B: try members(text, "[", "]", named: false)
    default:
      if skip("true", text) || skip("false", text) || skip("null", text) { return }
      try number(text)
    }
  }

  /// A string; the range of what is between its quotes.
  mutating func string(_ text: RawSpan) throws(Failure) -> Range<Int> {
    try expect("\"", text)
    let start = position
    while let byte = peek(text) {
      switch byte {
      case 0x22:
        position += 1
        return start..<(position - 1)
      case 0x5C: try escape(text)
      case 0..<0x20: throw Failure()
      case 0..<0x80: position += 1
      default: try multibyte(text)
      }
    }
    throw Failure()
  }

  private mutating func members(
    _ text: RawSpan, _ open: StaticString, _ close: StaticString, named: Bool
  ) throws(Failure) {
    guard depth < Self.depthLimit else { throw Failure() }
    depth += 1
    defer { depth -= 1 }
    try expect(open, text)
    skipSpace(text)
    if skip(close, text) { return }
    repeat {
      skipSpace(text)
      if named {
        _ = try string(text)
        skipSpace(text)
        try expect(":", text)
        skipSpace(text)
      }
      try value(text)
      skipSpace(text)
    } while skip(",", text)
    try expect(close, text)
  }

  private mutating func number(_ text: RawSpan) throws(Failure) {
    _ = skip("-", text)
    if !skip("0", text) { try digits(text) }
    if skip(".", text) { try digits(text) }
    if skip("e", text) || skip("E", text) {
      _ = skip("+", text) || skip("-", text)
      try digits(text)
    }
  }

  private mutating func digits(_ text: RawSpan) throws(Failure) {
    let start = position
    while let byte = peek(text), ASCII.isDigit(byte) { position += 1 }
    guard position > start else { throw Failure() }
  }

  private mutating func escape(_ text: RawSpan) throws(Failure) {
    position += 1
    guard let kind = peek(text) else { throw Failure() }
    position += 1
    guard kind == 0x75 else {
      guard "\"\\/bfnrt".utf8.contains(kind) else { throw Failure() }
      return
    }
    // A surrogate stands for something only in a pair, high before low.
    switch try hexadecimal(text) {
    case 0xDC00...0xDFFF: throw Failure()
    case 0xD800...0xDBFF:
      try expect("\\u", text)
      guard (0xDC00...0xDFFF).contains(try hexadecimal(text)) else { throw Failure() }
    default: break
    }
  }

  private mutating func hexadecimal(_ text: RawSpan) throws(Failure) -> UInt16 {
    var number: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = peek(text), ASCII.isHexDigit(byte) else { throw Failure() }
      number = number << 4 | UInt16(ASCII.hexValue(byte))
      position += 1
    }
    return number
  }

  /// One character of two to four bytes in well-formed UTF-8 (Unicode, table
  /// 3-7): the range of the second byte depends on the first.
  private mutating func multibyte(_ text: RawSpan) throws(Failure) {
    guard let first = peek(text) else { throw Failure() }
    let (size, second): (Int, ClosedRange<UInt8>) =
      switch first {
      case 0xC2...0xDF: (2, 0x80...0xBF)
      case 0xE0: (3, 0xA0...0xBF)
      case 0xED: (3, 0x80...0x9F)
      case 0xE1...0xEF: (3, 0x80...0xBF)
      case 0xF0: (4, 0x90...0xBF)
      case 0xF1...0xF3: (4, 0x80...0xBF)
      case 0xF4: (4, 0x80...0x8F)
      default: (0, 0...0)
      }
    guard size > 0, text.byteCount - position >= size,
      second.contains(text.byte(position + 1))
    else { throw Failure() }
    for offset in 2..<max(size, 2) where text.byte(position + offset) & 0xC0 != 0x80 {
      throw Failure()
    }
    position += size
  }
}
