extension JSONScanner {
  /// Reads a string; the position is at its opening quotation mark.
  mutating func string(in text: RawSpan) throws(CSPPError) -> JSONValue {
    position &+= 1
    let start = position
    var hasEscapes = false
    while true {
      skipPlain(in: text)
      guard position < end else { throw .truncated }
      let byte = text.byte(position)
      switch byte {
      case UInt8(ascii: "\""):
        position &+= 1
        return JSONValue(.string, start..<position - 1, hasEscapes: hasEscapes)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        try escape(in: text)
      case 0x80...:
        try multibyte(byte, in: text)
      case ..<0x20:
        throw .notJSON(offset: position)
      default:
        position &+= 1
      }
    }
  }

  /// Skips characters that need no processing, eight at a time: most of a file is one long string
  /// of base64 or digits.
  @inline(__always)
  private mutating func skipPlain(in text: RawSpan) {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    while position &+ 8 <= end {
      let word = unsafe text.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
      // A byte's high bit is set if it is below 0x20, a quotation mark, a backslash or beyond
      // ASCII. Borrows may set more bits, never fewer.
      let quotes = word ^ (ones &* 0x22)
      let slashes = word ^ (ones &* 0x5C)
      let special =
        (word &- ones &* 0x20) | (quotes &- ones) | (slashes &- ones) | word
      if special & highs != 0 { break }
      position &+= 8
    }
    while position < end {
      let byte = text.byte(position)
      if byte == 0x22 || byte == 0x5C || byte < 0x20 || byte >= 0x80 { return }
      position &+= 1
      if position & 7 == 0 { return }
    }
  }

  /// Checks one escape; the position is at its backslash.
  private mutating func escape(in text: RawSpan) throws(CSPPError) {
    guard position + 1 < end else { throw .truncated }
    switch text.byte(position + 1) {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 2
    case UInt8(ascii: "u"):
      let start = position
      let unit = try codeUnit(in: text)
      guard unit & 0xF800 == 0xD800 else { return }
      // A surrogate is invalid unless its other half follows.
      guard unit < 0xDC00 else { throw .notJSON(offset: start) }
      guard position + 1 < end else { throw .truncated }
      guard text.byte(position) == UInt8(ascii: "\\"),
        text.byte(position + 1) == UInt8(ascii: "u"),
        try codeUnit(in: text) & 0xFC00 == 0xDC00
      else { throw .notJSON(offset: start) }
    default:
      throw .notJSON(offset: position)
    }
  }

  /// Reads `\uXXXX`.
  mutating func codeUnit(in text: RawSpan) throws(CSPPError) -> UInt16 {
    guard position + 6 <= end else { throw .truncated }
    var unit: UInt16 = 0
    for index in position + 2..<position + 6 {
      let byte = text.byte(index)
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46: digit = byte - 0x41 + 10
      case 0x61...0x66: digit = byte - 0x61 + 10
      default: throw .notJSON(offset: index)
      }
      unit = unit << 4 | UInt16(digit)
    }
    position += 6
    return unit
  }

  /// Checks one character beyond ASCII: shortest form, no surrogate, at most U+10FFFF (Unicode,
  /// table 3-7).
  private mutating func multibyte(_ first: UInt8, in text: RawSpan) throws(CSPPError) {
    let size: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0xC2...0xDF: size = 2
    case 0xE0: (size, second) = (3, 0xA0...0xBF)
    case 0xED: (size, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: size = 3
    case 0xF0: (size, second) = (4, 0x90...0xBF)
    case 0xF4: (size, second) = (4, 0x80...0x8F)
    case 0xF1...0xF3: size = 4
    default: throw .notJSON(offset: position)
    }
    for index in 1..<size {
      guard position + index < end else { throw .truncated }
      let allowed = index == 1 ? second : 0x80...0xBF
      guard allowed.contains(text.byte(position + index)) else {
        throw .notJSON(offset: position + index)
      }
    }
    position += size
  }
}
