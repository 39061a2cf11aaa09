/// Text in lines of a width, broken between words.
package enum WrappedText {
  /// Breaks a text into lines.
  ///
  /// A word that is longer than a line has one of its own.
  ///
  /// - Parameters:
  ///   - text: words and spaces.
  ///   - width: most characters in a line, with its indentation.
  ///   - indent: spaces before the first line.
  ///   - hanging: spaces before the others; nil: as many.
  ///   - ending: what stands behind every line that goes on.
  /// - Returns: the lines.
  package static func lines(
    _ text: String, width: Int, indent: Int = 0, hanging: Int? = nil, ending: String = ""
  ) -> [String] {
    var lines: [String] = []
    var line = ""
    var start = indent
    for word in text.split(separator: " ") {
      if !line.isEmpty, start + line.count + 1 + word.count > width - ending.count {
        lines.append(spaces(start) + line + ending)
        start = hanging ?? indent
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    if !line.isEmpty { lines.append(spaces(start) + line) }
    return lines
  }

  /// How wide the names are, without those that get a line of their own.
  package static func column(for names: [String], width: Int) -> Int {
    let widest = width >= 70 ? 25 : width / 3
    return names.map(\.count).filter { $0 <= widest }.max() ?? widest
  }

  /// Names with their explanations beside them.
  ///
  /// - Parameters:
  ///   - rows: the names and what they are for.
  ///   - width: most characters in a line.
  ///   - column: how wide the names are; nil: as they need it.
  /// - Returns: the lines.
  package static func columns(
    _ rows: [(name: String, text: String)], width: Int, column: Int? = nil
  ) -> [String] {
    let column = column ?? self.column(for: rows.map(\.name), width: width)
    return rows.flatMap { row in
      var texts = lines(row.text, width: width, indent: column + 4)
      let name = "  " + row.name
      guard row.name.count <= column, let first = texts.first else { return [name] + texts }
      texts[0] = name + first.dropFirst(name.count)
      return texts
    }
  }

  private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}
