/// Text from files and devices, made safe to show: no control characters that
/// could move the cursor, no invisible characters that reverse or hide text.
enum PrintableText {
  /// Whether showing the character could do more than show it.
  static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
    default: false
    }
  }

  /// `text` with every unsafe character replaced by U+FFFD, at most `limit`
  /// characters of it.
  static func clean(_ text: String, limit: Int = 64) -> String {
    var cleaned = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(limit * 8) {
      cleaned.append(isUnsafe(scalar) ? "\u{FFFD}" : scalar)
    }
    let shown = String(cleaned)
    return shown.count > limit ? String(shown.prefix(limit - 1)) + "…" : shown
  }

  /// `text` as ``clean(_:limit:)`` makes it, cut to so many columns of print.
  ///
  /// Most characters from U+1100 on are wide, and count as two.
  static func fitting(_ text: String, columns: Int) -> String {
    func width(_ character: Character) -> Int {
      character.unicodeScalars.reduce(0) { $0 + ($1.value < 0x1100 ? 1 : 2) }
    }
    let shown = clean(text, limit: columns + 1)
    if shown.reduce(0, { $0 + width($1) }) <= columns { return shown }
    var room = columns - 1
    return shown.prefix {
      room -= width($0)
      return room >= 0
    } + "…"
  }

  /// `text` with every unsafe character but the line end replaced by U+FFFD.
  static func cleanLines(_ text: String) -> String {
    var cleaned = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      cleaned.append(scalar != "\n" && isUnsafe(scalar) ? "\u{FFFD}" : scalar)
    }
    return String(cleaned)
  }
}
