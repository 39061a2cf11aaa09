/// Text as one word of a shell's command line.
enum ShellWord {
  /// The characters without a meaning to any shell.
  private static let marks = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-./_@,=:+%".unicodeScalars)

  /// The text itself, or in quotes where a shell would take it apart.
  static func quoted(_ text: String) -> String {
    let plain = text.unicodeScalars.allSatisfy { scalar in
      scalar.isASCII ? marks.contains(scalar) : scalar.properties.isAlphabetic
    }
    return plain && !text.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
