internal import SecretMemory

/// Text files as other programs write them: PowerShell writes UTF-16, editors add a byte order mark.
enum UTF8Text {
  /// A text in UTF-8 without a byte order mark.
  ///
  /// - Parameter text: UTF-8, or UTF-16 with a byte order mark.
  /// - Returns: the text; what is not a character becomes U+FFFD.
  static func decoded(_ text: borrowing SecretBytes) -> SecretBytes {
    text.withBytes { text in
      if text.starts(with: [0xFF, 0xFE], at: 0) { return decoded(text, high: 1) }
      if text.starts(with: [0xFE, 0xFF], at: 0) { return decoded(text, high: 0) }
      let start = text.starts(with: [0xEF, 0xBB, 0xBF], at: 0) ? 3 : 0
      return SecretBytes(copying: text.extracting(start..<text.byteCount))
    }
  }

  /// Decodes code units whose high byte is the first (0) or the second one (1).
  private static func decoded(_ text: RawSpan, high: Int) -> SecretBytes {
    // Two bytes become at most three.
    var decoded = SecretBytes(zeroed: text.byteCount * 3 / 2 + 3)
    let count = decoded.withMutableBytes { output in
      var count = 0
      var first: UInt32?
      func put(_ number: UInt32, _ output: inout MutableRawSpan) {
        for byte in UTF8.encode(Unicode.Scalar(number) ?? "\u{FFFD}")
          ?? UTF8.encodedReplacementCharacter
        {
          output.set(count, byte)
          count += 1
        }
      }
      for offset in stride(from: 2, to: text.byteCount - 1, by: 2) {
        let unit = UInt32(text.byte(offset + high)) << 8 | UInt32(text.byte(offset + 1 - high))
        if let lead = first {
          first = nil
          if unit & 0xFC00 == 0xDC00 {
            put(0x10000 + (lead & 0x3FF) << 10 + unit & 0x3FF, &output)
            continue
          }
          put(0xFFFD, &output)
        }
        if unit & 0xFC00 == 0xD800 { first = unit } else { put(unit, &output) }
      }
      if first != nil || text.byteCount % 2 != 0 { put(0xFFFD, &output) }
      return count
    }
    decoded.resize(to: count)
    return decoded
  }
}
