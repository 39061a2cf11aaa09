public import SecretMemory

/// Text files as other programs write them: PowerShell writes UTF-16, editors add a byte order mark.
public enum UTF8Text {
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// A text in UTF-8 without a byte order mark.
  ///
  /// - Parameter text: UTF-8 or UTF-16, with a byte order mark or without one.
  /// - Returns: the text; what is not a character becomes U+FFFD.
  public static func decoded(_ text: borrowing SecretBytes) -> SecretBytes {
    text.withBytes { text in
      if let high = highByte(of: text) { return decoded(text, high: high) }
      let start = text.starts(with: mark, at: 0) ? mark.count : 0
      return SecretBytes(copying: text.extracting(start..<text.byteCount))
    }
  }

  /// The text itself if it needs no decoding, else as ``decoded(_:)``: a large one is not copied.
  public static func decoding(_ text: consuming SecretBytes) -> SecretBytes {
    let isPlain = text.withBytes { highByte(of: $0) == nil && !$0.starts(with: mark, at: 0) }
    if isPlain { return text }
    return decoded(text)
  }

  /// Which byte of a unit of UTF-16 is the high one, the first (0) or the second (1); `nil` for UTF-8.
  ///
  /// Without a mark, two characters of ASCII tell it: text in UTF-8 has no zero byte.
  private static func highByte(of text: RawSpan) -> Int? {
    if text.starts(with: [0xFF, 0xFE], at: 0) { return 1 }
    if text.starts(with: [0xFE, 0xFF], at: 0) { return 0 }
    guard text.byteCount >= 4, text.byteCount.isMultiple(of: 2) else { return nil }
    return [0, 1].first { high in
      [0, 2].allSatisfy { unit in
        text.byte(unit + high) == 0 && ASCII.isPrintable(text.byte(unit + 1 - high))
      }
    }
  }

  /// A text with a space in place of each unusual one, and without characters that show nothing.
  ///
  /// Web pages and word processors put them in. What follows is for descriptors, which have none.
  static func withPlainSpaces(_ text: borrowing SecretBytes) -> SecretBytes {
    text.withBytes { text in
      var plain = SecretBytes(zeroed: text.byteCount)
      var (count, offset) = (0, 0)
      while offset < text.byteCount {
        let size = ASCII.unusualSpaceLength(text, at: offset)
        let hidden = size > 0 ? nil : invisible.first { text.starts(with: $0, at: offset) }
        if let hidden {
          offset += hidden.count
          continue
        }
        let byte = size > 0 ? 0x20 : text.byte(offset)
        plain.withMutableBytes { $0.set(count, byte) }
        count += 1
        offset += max(size, 1)
      }
      plain.resize(to: count)
      return plain
    }
  }

  /// U+00AD, U+200B to U+200F, U+2060, U+FEFF.
  private static let invisible: [[UInt8]] =
    [[0xC2, 0xAD], [0xE2, 0x81, 0xA0], [0xEF, 0xBB, 0xBF]]
    + (0x8B...0x8F).map { [0xE2, 0x80, $0] }

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
      let isMarked = [[0xFF, 0xFE], [0xFE, 0xFF]].contains { text.starts(with: $0, at: 0) }
      for offset in stride(from: isMarked ? 2 : 0, to: text.byteCount - 1, by: 2) {
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
