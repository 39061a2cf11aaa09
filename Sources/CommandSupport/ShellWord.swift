/// Text as one word of a shell's command line, safe to print.
public enum ShellWord {
  /// Characters without a meaning of their own in a shell.
  private static let marks = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-./_@,=:+%".unicodeScalars)

  /// The text itself, or in quotes where a shell would take it apart.
  ///
  /// Printed, it names the same text to a shell, and does no more than show itself.
  public static func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars
    if hidesCommand(text) || scalars.contains(where: UnsafeText.isUnsafe) {
      return escaped(text)
    }
    let plain = scalars.allSatisfy { scalar in
      scalar.isASCII ? marks.contains(scalar) : scalar.properties.isAlphabetic
    }
    return plain && !text.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }

  /// Whether a part of the text would look like a command that a message proposes, quotes or
  /// not; see ``UnsafeText/programs``.
  ///
  /// A word at an end of the text has a quote beside it.
  private static func hidesCommand(_ text: String) -> Bool {
    guard text.contains(where: { $0 == "'" || $0 == ":" }) else { return false }
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    return words.dropFirst().dropLast().contains(where: UnsafeText.isProgram)
  }

  /// A text that may hold such words, with a space for each character that they name by its digits.
  package static func withoutEscapes(_ text: String) -> String {
    guard text.contains("$'") else { return text }
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let first = rest.first {
      let digits = rest.dropFirst().prefix(3)
      let isEscape =
        first == "\\" && digits.count == 3 && digits.allSatisfy { ("0"..."7").contains($0) }
      result.append(isEscape ? " " : first)
      rest = rest.dropFirst(isEscape ? 4 : 1)
    }
    return String(result)
  }

  /// The text in `$'...'`, which bash, zsh, ksh and POSIX 2024 know, without a space at which a
  /// line could be broken.
  ///
  /// An older shell takes the digits for what they are: the first mark would end the quotation
  /// there, so the text has none. It then names another text, but nothing in it is run.
  private static func escaped(_ text: String) -> String {
    var word = "$'"
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": word += "\\\\"
      case _ where scalar == " " || scalar == "'" || UnsafeText.isUnsafe(scalar):
        for byte in String(scalar).utf8 {
          let digits = String(byte, radix: 8)
          word += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }
      default: word.unicodeScalars.append(scalar)
      }
    }
    return word + "'"
  }
}
