internal import CommandKit

/// Settings of the form `key = value`, one per line, as several sync clients use them.
struct INIFile: Sendable {
  /// The section (empty before the first), the key, and the value as written.
  private(set) var all: [(section: String, key: String, value: String)] = []

  init(_ text: String) {
    var section = ""
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmed
      if line.hasPrefix("["), line.hasSuffix("]") {
        section = String(line.dropFirst().dropLast())
      } else if !line.hasPrefix("#"), !line.hasPrefix(";"),
        let equals = line.firstIndex(of: "=")
      {
        all.append(
          (
            section, line[..<equals].trimmed,
            line[line.index(after: equals)...].trimmed
          ))
      }
    }
  }

  /// The last value of a key, which the programs use.
  func value(_ key: String, in section: String = "") -> String? {
    all.last { $0.section == section && $0.key == key }?.value
  }

  /// A value without quotes and with Qt's escapes (QSettings, "INI format") resolved: `\\`, `\"`,
  /// `\xHH...`.
  static func unquoted(_ value: String) -> String {
    var text = value[...]
    if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") {
      text = text.dropFirst().dropLast()
    }
    guard text.contains("\\") else { return String(text) }
    var result = ""
    while let escape = text.firstIndex(of: "\\") {
      result += text[..<escape]
      text = text[text.index(after: escape)...]
      guard let kind = text.popFirst() else { break }
      switch kind {
      case "x":
        let digits = text.prefix { $0.isHexDigit }.prefix(6)
        text = text.dropFirst(digits.count)
        if let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) {
          result.unicodeScalars.append(scalar)
        }
      case "n": result += "\n"
      case "t": result += "\t"
      default: result.append(kind)
      }
    }
    return result + text
  }
}
