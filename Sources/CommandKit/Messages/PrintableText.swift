internal import CommandSupport

/// Text from files and devices, made safe to show: no control characters that
/// could move the cursor, no invisible characters that reverse or hide text.
package enum PrintableText {
  /// `text` with every unsafe character replaced by U+FFFD, at most `limit`
  /// characters of it.
  ///
  /// What joins pictures to one, such as a family, only shows that one.
  package static func clean(_ text: String, limit: Int = 64) -> String {
    let shown = cleaned(text.unicodeScalars.prefix(limit * 8))
    return shown.count > limit ? String(shown.prefix(limit - 1)) + "…" : shown
  }

  /// The scalars with U+FFFD in the place of unsafe ones.
  private static func cleaned(
    _ scalars: some Collection<Unicode.Scalar>, keepsLineEnds: Bool = false
  ) -> String {
    var cleaned = String.UnicodeScalarView()
    var joins = false
    var rest = scalars.makeIterator()
    var next = rest.next()
    while let scalar = next {
      next = rest.next()
      let isKept =
        !UnsafeText.isUnsafe(scalar) || (keepsLineEnds && scalar == "\n")
        || (scalar == "\u{200D}" && joins && next.map(isPicture) == true)
      cleaned.append(isKept ? scalar : "\u{FFFD}")
      // What only changes the picture before it does not separate the two.
      let isChange = scalar == "\u{FE0F}" || scalar.properties.isEmojiModifier
      joins = isPicture(scalar) || (joins && isChange)
    }
    return String(cleaned)
  }

  /// Whether a character is a picture that may be joined to others.
  private static func isPicture(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value > 0xFF && scalar.properties.isEmoji
  }

  /// A name that somebody else may have chosen, as ``clean(_:limit:)`` makes it.
  ///
  /// A command in it is none of this program's. ``SuggestedCommands`` and ``Wrapping`` leave it
  /// alone, and so does a shell, for a no-break space is part of a word.
  package static func name(_ text: String, limit: Int = 64) -> String {
    let words = clean(text, limit: limit)
      .split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    var shown = words[0]
    for (word, next) in zip(words, words.dropFirst()) {
      // A command begins neither behind such a space nor before it.
      let isCommand = UnsafeText.isProgram(word) || UnsafeText.isProgram(next)
      shown += (isCommand ? "\u{A0}" : " ") + next
    }
    return shown
  }

  /// `text` as ``clean(_:limit:)`` makes it, cut to so many columns of print.
  package static func fitting(_ text: String, columns: Int) -> String {
    let shown = clean(text, limit: columns + 1)
    if self.columns(shown) <= columns { return shown }
    var room = columns - 1
    return shown.prefix {
      room -= width($0)
      return room >= 0
    } + "…"
  }

  /// How many columns of print a text takes.
  package static func columns(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  /// Characters of East Asian scripts and pictures are two columns wide.
  private static func width(_ character: Character) -> Int {
    let isWide = character.unicodeScalars.contains { scalar in
      switch scalar.value {
      case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE0F, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF,
        0x20000...0x3FFFD:
        true
      default: false
      }
    }
    return isWide ? 2 : 1
  }

  /// `text` with every unsafe character but the line end replaced by U+FFFD.
  package static func cleanLines(_ text: String) -> String {
    cleaned(text.unicodeScalars, keepsLineEnds: true)
  }
}
