internal import SecretMemory

/// Encodings of values that a person gives and that are no secret: lenient
/// about what spells the same bytes.
package enum LenientDecoding {
  /// The bytes that hex digits of either case spell; nil for anything else.
  package static func hex(_ text: some StringProtocol) -> [UInt8]? {
    let digits = Array(text.utf8)
    return unsafe Hex.decode(digits.span.bytes, upperCase: true)
  }

  /// The bytes that base64 or base64url spells, with or without padding; nil
  /// for anything else.
  package static func base64(_ text: some StringProtocol) -> [UInt8]? {
    var characters = text.utf8.map { character in
      switch character {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: character
      }
    }
    while characters.last == UInt8(ascii: "=") { characters.removeLast() }
    return unsafe Base64.decode(characters.span.bytes, .url)
  }
}

extension String {
  /// The text after `prefix`, or nil when it does not start with it.
  package func dropping(prefix: String) -> Substring? {
    hasPrefix(prefix) ? dropFirst(prefix.count) : nil
  }
}
