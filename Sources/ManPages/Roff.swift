/// A manual page as it is written, in the man macros.
struct Roff {
  /// The page so far, with line ends.
  private(set) var source: String

  /// Begins a page.
  ///
  /// - Parameters:
  ///   - name: such as `keybackup-wallet`.
  ///   - section: the manual's section, such as 1.
  ///   - release: the version and the date that stand in the page's margins.
  init(_ name: String, section: Int, _ release: Release) {
    source = """
      .\\" Made by man-pages, from the definitions that --help shows.
      .TH \(Self.escape(code: name.uppercased())) \(section) \(release.date) \
      "keybackup \(release.version)" "keybackup manual"
      .\\" Words are not divided, lines are not stretched.
      .nh
      .ad l

      """
  }

  // MARK: Blocks

  /// A section's heading, in capitals.
  mutating func section(_ title: String) { line(".SH \"\(Self.argument(title.uppercased()))\"") }

  /// A heading within a section.
  mutating func subsection(_ title: String) { line(".SS \"\(Self.argument(title))\"") }

  /// A paragraph of words.
  mutating func paragraph(_ text: String) {
    line(".PP")
    line(Self.prose(text))
  }

  /// Words with what they mean, indented below them.
  ///
  /// - Parameters:
  ///   - term: in the page's own notation.
  ///   - text: words.
  mutating func item(_ term: String, _ text: String) {
    line(".TP")
    line(Self.guarded(term))
    line(Self.prose(text.isEmpty ? "-" : text))
  }

  /// An entry of a list.
  ///
  /// - Parameters:
  ///   - mark: a bullet or a number, in the page's own notation.
  ///   - text: words.
  mutating func entry(_ mark: String, _ text: String) {
    line(".IP \"\(mark)\" 4")
    line(Self.prose(text))
  }

  /// Lines that stay as they are.
  mutating func code(_ lines: [String]) {
    line(".PP")
    line(".RS 4")
    line(".nf")
    for text in lines { line(text.isEmpty ? ".sp" : Self.guarded(Self.escape(code: text))) }
    line(".fi")
    line(".RE")
  }

  /// A line in the page's own notation.
  mutating func line(_ text: String) { source += text + "\n" }

  // MARK: Text

  /// Bold, as it is typed.
  static func bold(_ code: String) -> String { "\\fB\(escape(code: code))\\fR" }

  /// A word that stands for another one.
  static func placeholder(_ name: String) -> String { "\\fI\(escape(code: name))\\fR" }

  /// Text that may be copied into a terminal: hyphens, quotes and such stay what they are.
  static func escape(code: String) -> String {
    var result = ""
    for scalar in code.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "\"": result += "\\(dq"
      default: result += plain(scalar)
      }
    }
    return result
  }

  /// Words: only what looks like an option, a command or a path keeps its hyphens.
  static func prose(_ text: String) -> String {
    guarded(
      text.split(separator: " ").map { word in
        let isCode =
          word.contains("--") || word.hasPrefix("-") || word.contains("/") || word.contains("_")
          || word.contains("~") || word.dropFirst().dropLast().contains(".")
        return isCode ? escape(code: String(word)) : escape(word: word)
      }.joined(separator: " "))
  }

  private static func escape(word: Substring) -> String {
    word.unicodeScalars.map { scalar in
      switch scalar {
      case "\\": "\\e"
      case "`": "\\(ga"
      case "^": "\\(ha"
      case "~": "\\(ti"
      default: plain(scalar)
      }
    }.joined()
  }

  /// ASCII, also where the terminal shows nothing else.
  private static func plain(_ scalar: Unicode.Scalar) -> String {
    if scalar.isASCII { return String(scalar) }
    return switch scalar {
    case "…": "..."
    case "–": "\\-"
    case "—": "\\-\\-"
    case "→": "\\->"
    case "←": "<\\-"
    case "×": "x"
    case "·": "*"
    case "≤": "<="
    case "≥": ">="
    case "≠": "!="
    case "‖": "||"
    case "⊕": "XOR"
    case "∈": "in"
    case "“", "”": "\\(dq"
    case "‘", "’": "\\(aq"
    default: "\\[u" + hexadecimal(scalar) + "]"
    }
  }

  private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// A line of text that no macro is read from.
  private static func guarded(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
  }

  /// An argument of a macro, between quotation marks.
  private static func argument(_ text: String) -> String { escape(code: text) }
}

/// What stands in a page's margins.
struct Release {
  /// The program's version.
  let version: String
  /// The day of the source, such as 2026-11-23; never the day of the build.
  let date: String
}
