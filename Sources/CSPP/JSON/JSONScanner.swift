// This folder is for reading and writing JSON in guarded memory, without copying a value out of it.
// The formats, and the modules beside this one, use it. It knows no field of any format.

/// One value of a checked text: its kind and range.
///
/// Nothing is copied, so a value of a plaintext in guarded memory stays there.
public struct JSONValue: Equatable, Sendable {
  /// The seven kinds of value.
  public enum Kind: Sendable {
    /// Characters between quotation marks.
    case string
    /// Digits, perhaps with a sign, a fraction and an exponent.
    case number
    /// Members between braces.
    case object
    /// Elements between brackets.
    case array
    /// `true`.
    case boolTrue
    /// `false`.
    case boolFalse
    /// `null`.
    case null
  }

  /// The kind of the value.
  public let kind: Kind
  /// Whether a string contains a backslash.
  package let hasEscapes: Bool
  private let start: UInt32
  private let end: UInt32

  init(_ kind: Kind, _ range: Range<Int>, hasEscapes: Bool = false) {
    self.kind = kind
    self.hasEscapes = hasEscapes
    start = UInt32(truncatingIfNeeded: range.lowerBound)
    end = UInt32(truncatingIfNeeded: range.upperBound)
  }

  /// The byte range of the value; of a string, without the quotation marks.
  public var range: Range<Int> { Int(start)..<Int(end) }

  /// The byte range of the value, including quotation marks.
  package var fullRange: Range<Int> {
    kind == .string ? Int(start) - 1..<Int(end) + 1 : range
  }
}

/// A strict parser of JSON (RFC 8259) that keeps ranges instead of copies.
///
/// The text must be UTF-8 without a byte order mark, nested at most 64 levels deep, with no lone
/// surrogate in an escape. The time grows only with the size. Numbers keep their text, so their
/// size and precision are unlimited.
package enum JSON {
  /// The deepest nesting of objects and arrays.
  package static let depthLimit = 64

  /// Checks a whole text.
  ///
  /// - Returns: its single value.
  /// - Throws: ``CSPPError/empty``, ``CSPPError/truncated``,
  ///   ``CSPPError/notJSON(offset:)``, ``CSPPError/tooDeep``.
  package static func parse(_ text: RawSpan) throws(CSPPError) -> JSONValue {
    if isBlank(text) { throw .empty }
    var scanner = JSONScanner(position: 0, end: text.byteCount)
    let value = try scanner.value(in: text)
    try scanner.finish(in: text)
    return value
  }

  /// Whether every byte is zero or white space, as in placeholders of sync clients.
  static func isBlank(_ text: RawSpan) -> Bool {
    for index in 0..<text.byteCount {
      switch text.byte(index) {
      case 0, 0x20, 0x09, 0x0A, 0x0D: continue
      default: return false
      }
    }
    return true
  }
}

extension RawSpan {
  /// The byte at `index`, which must be in range.
  @inline(__always)
  func byte(_ index: Int) -> UInt8 {
    unsafe unsafeLoad(fromByteOffset: index, as: UInt8.self)
  }
}

/// A position in a text, which advances value by value.
struct JSONScanner {
  var position: Int
  let end: Int

  @inline(__always)
  mutating func skipSpace(in text: RawSpan) {
    while position < end {
      switch text.byte(position) {
      case 0x20, 0x09, 0x0A, 0x0D: position &+= 1
      default: return
      }
    }
  }

  /// The byte here, after white space; the position does not pass it.
  @inline(__always)
  mutating func peek(in text: RawSpan) throws(CSPPError) -> UInt8 {
    skipSpace(in: text)
    guard position < end else { throw .truncated }
    return text.byte(position)
  }

  mutating func expect(_ byte: UInt8, in text: RawSpan) throws(CSPPError) {
    guard try peek(in: text) == byte else { throw .notJSON(offset: position) }
    position &+= 1
  }

  /// Checks that only white space is left.
  mutating func finish(in text: RawSpan) throws(CSPPError) {
    skipSpace(in: text)
    guard position == end else { throw .notJSON(offset: position) }
  }

  /// Reads one value of any kind, nested inside `depth` others.
  mutating func value(in text: RawSpan, depth: Int = 0) throws(CSPPError) -> JSONValue {
    let first = try peek(in: text)
    switch first {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      let start = position
      try container(in: text, outside: depth)
      return JSONValue(first == UInt8(ascii: "{") ? .object : .array, start..<position)
    default:
      return try scalar(first, in: text)
    }
  }

  /// Reads a string, a number or a literal.
  mutating func scalar(_ first: UInt8, in text: RawSpan) throws(CSPPError) -> JSONValue {
    switch first {
    case UInt8(ascii: "\""): return try string(in: text)
    case UInt8(ascii: "t"): return try word("true", .boolTrue, in: text)
    case UInt8(ascii: "f"): return try word("false", .boolFalse, in: text)
    case UInt8(ascii: "n"): return try word("null", .null, in: text)
    default: return try number(in: text)
    }
  }

  /// Reads an object or array with its contents, without recursion.
  ///
  /// One bit per level tells which of the two is open.
  private mutating func container(
    in text: RawSpan, outside: Int
  ) throws(CSPPError) {
    var objects: UInt64 = 0
    var depth = 0
    repeat {
      let byte = try peek(in: text)
      let isObject = byte == UInt8(ascii: "{")
      if isObject || byte == UInt8(ascii: "[") {
        guard depth + outside < JSON.depthLimit else { throw .tooDeep }
        depth += 1
        objects = objects &<< 1 | (isObject ? 1 : 0)
        position &+= 1
        if try peek(in: text) != (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          if isObject { try memberName(in: text) }
          continue
        }
      } else {
        _ = try scalar(byte, in: text)
      }
      // A value is complete: close the containers that end here, or continue with the next value.
      while depth > 0 {
        let inObject = objects & 1 == 1
        let next = try peek(in: text)
        if next == UInt8(ascii: ",") {
          position &+= 1
          if inObject { try memberName(in: text) }
          break
        }
        guard next == (inObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
          throw .notJSON(offset: position)
        }
        position &+= 1
        depth -= 1
        objects &>>= 1
      }
    } while depth > 0
  }

  /// Reads a member's name and the colon.
  @discardableResult
  mutating func memberName(in text: RawSpan) throws(CSPPError) -> JSONValue {
    guard try peek(in: text) == UInt8(ascii: "\"") else { throw .notJSON(offset: position) }
    let name = try string(in: text)
    try expect(UInt8(ascii: ":"), in: text)
    return name
  }

  private mutating func word(
    _ word: StaticString, _ kind: JSONValue.Kind, in text: RawSpan
  ) throws(CSPPError) -> JSONValue {
    let start = position
    for index in 0..<word.utf8CodeUnitCount {
      guard position < end else { throw .truncated }
      guard unsafe text.byte(position) == word.utf8Start[index] else {
        throw .notJSON(offset: position)
      }
      position += 1
    }
    return JSONValue(kind, start..<position)
  }

  /// -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
  private mutating func number(in text: RawSpan) throws(CSPPError) -> JSONValue {
    let start = position
    _ = accept("-", in: text)
    if !accept("0", in: text) { try digits(in: text) }
    if accept(".", in: text) { try digits(in: text) }
    if accept("e", in: text) || accept("E", in: text) {
      _ = accept("+", in: text) || accept("-", in: text)
      try digits(in: text)
    }
    return JSONValue(.number, start..<position)
  }

  private mutating func accept(_ character: Unicode.Scalar, in text: RawSpan) -> Bool {
    guard position < end, text.byte(position) == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func digits(in text: RawSpan) throws(CSPPError) {
    let start = position
    while position < end, text.byte(position) &- 48 < 10 { position &+= 1 }
    guard position > start else {
      throw position == end ? .truncated : .notJSON(offset: position)
    }
  }
}
