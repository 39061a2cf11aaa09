extension SecretBytes {
  /// The beginning and the end of a quoted text, in UTF-8.
  private static let quotes: [(opening: String, closing: String)] = [
    ("\"", "\""), ("'", "'"), ("`", "`"), ("\u{201C}", "\u{201D}"), ("\u{2018}", "\u{2019}"),
    ("\u{201E}", "\u{201C}"), ("\u{201A}", "\u{2018}"), ("\u{AB}", "\u{BB}"),
  ]

  /// Whether quotes are around all of the text, as around a value in a file of settings.
  ///
  /// White space behind them does not count.
  public var isInQuotes: Bool {
    withBytes { bytes in
      func byte(_ place: Int) -> UInt8 {
        unsafe bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)
      }
      var end = bytes.byteCount
      while end > 0, [9, 10, 13, 32].contains(byte(end - 1)) { end -= 1 }
      func has(_ text: String, at start: Int) -> Bool {
        text.utf8.enumerated().allSatisfy { byte(start + $0.offset) == $0.element }
      }
      return Self.quotes.contains { opening, closing in
        let (first, last) = (opening.utf8.count, closing.utf8.count)
        return end >= first + last && has(opening, at: 0) && has(closing, at: end - last)
      }
    }
  }
}
