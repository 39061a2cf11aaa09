package import SecretMemory

/// Writes JSON in guarded memory.
extension SecretWriter {
  /// Adds bytes as an array of numbers.
  package mutating func numbers(_ bytes: RawSpan) {
    raw("[")
    for index in 0..<bytes.byteCount { raw((index == 0 ? "" : ",") + String(bytes.byte(index))) }
    raw("]")
  }

  /// Adds a string with its quotation marks, from UTF-8 bytes.
  package mutating func string(_ utf8: RawSpan) {
    var size = 2
    for index in 0..<utf8.byteCount { size += JSONEscape.size(utf8.byte(index)) }
    unsafe grow(size) { target in
      var written = 0
      func put(_ byte: UInt8) {
        unsafe target[written] = byte
        written += 1
      }
      put(UInt8(ascii: "\""))
      for index in 0..<utf8.byteCount { JSONEscape.write(utf8.byte(index), put) }
      put(UInt8(ascii: "\""))
    }
  }

  /// Adds a string with its quotation marks.
  package mutating func string(_ string: String) {
    unsafe self.string(Array(string.utf8).span.bytes)
  }
}

/// Writes bytes of UTF-8 inside a JSON string; escapes only those that RFC 8259 section 7 requires.
enum JSONEscape {
  static func size(_ byte: UInt8) -> Int {
    switch byte {
    case 0x08, 0x09, 0x0A, 0x0C, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "\\"): return 2
    case ..<0x20: return 6
    default: return 1
    }
  }

  static func write(_ byte: UInt8, _ put: (UInt8) -> Void) {
    let letter: UInt8
    switch byte {
    case 0x08: letter = UInt8(ascii: "b")
    case 0x09: letter = UInt8(ascii: "t")
    case 0x0A: letter = UInt8(ascii: "n")
    case 0x0C: letter = UInt8(ascii: "f")
    case 0x0D: letter = UInt8(ascii: "r")
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): letter = byte
    case ..<0x20:
      for character in [0x5C, 0x75, 0x30, 0x30] as [UInt8] { put(character) }
      put(48 + byte >> 4)
      put(byte & 15 < 10 ? 48 + byte & 15 : 87 + byte & 15)
      return
    default:
      put(byte)
      return
    }
    put(UInt8(ascii: "\\"))
    put(letter)
  }
}

/// Writes JSON that holds no secret.
public enum JSONText {
  /// Seconds since 1970; numbers beyond 2^63 - 1 have no place in the format.
  static func time(_ seconds: UInt64) -> UInt64 { min(seconds, UInt64(Int64.max)) }

  /// A string with its quotation marks.
  public static func quoted(_ string: String) -> String {
    var bytes = [UInt8(ascii: "\"")]
    for byte in string.utf8 { JSONEscape.write(byte) { bytes.append($0) } }
    bytes.append(UInt8(ascii: "\""))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// An object from members whose values are already JSON; nil omits a member.
  public static func object(_ members: [(name: String, value: String?)]) -> String {
    let texts = members.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
    return "{" + texts.joined(separator: ",") + "}"
  }
}
