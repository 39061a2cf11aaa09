internal import CommandSupport

/// A line of text in lines of a width, broken between words.
///
/// A text that a person copies stays in one piece, even if it is longer than the width. Such
/// texts are a command with its options, a quoted name, a path or an ID. A command behind a colon
/// is there to be run: it stands on a line of its own, and nothing sticks to its end.
/// ``PrintableText/name(_:limit:)`` takes care that no other text looks like a command.
enum Wrapping {
  /// Beginnings of lines whose further lines stand below the text behind them.
  private static let beginnings = ["keybackup: ", "hint: ", "warning: ", "Usage: ", "! "]
  /// Most columns of a quoted name that is not broken.
  private static let longestName = 60

  /// The lines.
  ///
  /// - Parameters:
  ///   - line: one line of text.
  ///   - width: how many columns there are; nil: as many as it takes.
  ///   - hanging: columns before the further lines; nil: as the line begins.
  /// - Returns: at least one line.
  static func lines(_ line: String, width: Int?, hanging: Int? = nil) -> [String] {
    guard let width else { return [line] }
    let spaces = line.prefix { $0 == " " }.count
    let margin = hanging ?? spaces + beginning(of: line.dropFirst(spaces))
    guard let found = commandToRun(in: line) else { return broken(line, width, margin) }
    // Further lines of the same text begin where those would that are too long.
    let rest = found.after.isEmpty ? [] : lines(indented(found.after, margin), width: width)
    return broken(found.before, width, margin) + [indented(found.command, margin + 2)] + rest
  }

  private static func indented(_ text: String, _ columns: Int) -> String {
    String(repeating: " ", count: columns) + text
  }

  /// The first command that a line tells to run, without the punctuation behind it.
  ///
  /// It follows a colon: other commands are only spoken of.
  ///
  /// - Parameter line: one line of text.
  /// - Returns: the command, and what stands before and after it; nil: there is none.
  static func commandToRun(
    in line: String
  ) -> (before: String, command: String, after: String)? {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    for start in words.indices.dropFirst() where UnsafeText.programs.contains(words[start]) {
      let before = words[..<start].joined(separator: " ")
      guard before.hasSuffix(":"), !beginnings.contains(before.trimmed + " ") else { continue }
      var end = command(words, from: start)
      // A word alone at the end of the line is what the command is about, whatever it looks like.
      if end == words.count - 1, core(words[end - 1]) == words[end - 1] { end += 1 }
      var own = Array(words[start..<end])
      if let last = own.last.map(core), !last.isEmpty { own[own.count - 1] = last }
      return (
        before, own.joined(separator: " "), words[end...].joined(separator: " ").trimmed
      )
    }
    return nil
  }

  /// The lines of a text without a command to run.
  private static func broken(_ line: String, _ width: Int, _ hanging: Int) -> [String] {
    guard PrintableText.columns(line) > width else { return [line] }
    let spaces = line.prefix { $0 == " " }.count
    let margin = String(repeating: " ", count: hanging)
    var lines: [String] = []
    var current = String(repeating: " ", count: spaces)
    var isEmpty = true
    for piece in pieces(of: String(line.dropFirst(spaces))) {
      let next = isEmpty ? current + piece : current + " " + piece
      if isEmpty || PrintableText.columns(next) <= width {
        current = next
      } else {
        lines.append(current)
        current = margin + piece
      }
      isEmpty = false
    }
    return lines + [current]
  }

  /// Columns of what says what a line is, or which step.
  private static func beginning(of text: Substring) -> Int {
    if let word = beginnings.first(where: { text.hasPrefix($0) }) { return word.count }
    let digits = text.prefix { $0.isNumber }.count
    return digits > 0 && text.dropFirst(digits).hasPrefix(". ") ? digits + 2 : 0
  }

  // MARK: What stays in one piece

  private static func pieces(of text: String) -> [String] {
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    var pieces: [String] = []
    var start = 0
    while start < words.count {
      var end = self.end(of: words, from: start)
      // A run of spaces stays where it is.
      while end < words.count, words[end].isEmpty { end += 1 }
      pieces.append(words[start..<end].joined(separator: " "))
      start = end
    }
    return pieces
  }

  /// The first word that does not belong to what begins with this one.
  private static func end(of words: [String], from start: Int) -> Int {
    let word = words[start].drop { $0 == "(" }
    if let end = quotation(words, from: start) { return end }
    if UnsafeText.programs.contains(String(word)) { return command(words, from: start) }
    let next = start + 1
    guard word.hasPrefix("--"), core(word) == word, next < words.count else { return next }
    return quotation(words, from: next) ?? (isValue(words[next]) ? next + 1 : next)
  }

  /// The end of a command line that begins with its program.
  private static func command(_ words: [String], from start: Int) -> Int {
    var program = start
    var verbs = 0
    var hasOption = false
    var mayHaveValue = false
    var place = start + 1
    while place < words.count {
      let word = words[place]
      let hasGroups = program + 1 < words.count && words[program + 1] == "foreign"
      let mostVerbs = hasGroups || words[program].hasSuffix("sudo") ? 3 : 2
      if word == "&&", place + 1 < words.count {
        // The next command of the same line.
        program = place + 1
        (verbs, hasOption, mayHaveValue) = (0, false, false)
        place += 2
      } else if let end = quotation(words, from: place) {
        place = end
        mayHaveValue = false
      } else if word.hasPrefix("-") {
        (hasOption, mayHaveValue) = (true, true)
        place += 1
      } else if isValue(word) {
        mayHaveValue = false
        place += 1
      } else if isPlain(word), mayHaveValue || (!hasOption && verbs < mostVerbs) {
        mayHaveValue = false
        verbs += 1
        place += 1
      } else {
        return place
      }
      if let last = words[..<place].last, core(last) != last { return place }
    }
    return place
  }

  /// The end of what is in quotes from this word on; nil: nothing is.
  static func quotation(_ words: [String], from start: Int) -> Int? {
    let word = words[start].drop { $0 == "(" }
    guard let mark = word.first, mark == "'" || mark == "\"" else { return nil }
    var columns = 0
    for place in start..<words.count {
      columns += PrintableText.columns(words[place]) + 1
      if mark == "\"", columns > longestName { return nil }
      let text = place == start ? word.dropFirst() : words[place][...]
      if core(text).hasSuffix(String(mark)) { return place + 1 }
    }
    return nil
  }

  /// A word without the punctuation behind it.
  static func core(_ word: some StringProtocol) -> String {
    var word = String(word)
    while let last = word.last, ".,;:)".contains(last) { word.removeLast() }
    return word
  }

  private static func isPlain(_ word: String) -> Bool {
    let core = core(word)
    return !core.isEmpty && core.allSatisfy { ("a"..."z").contains($0) || $0 == "-" }
  }

  /// Whether a word may be an ID, or the start of one, that has no digit.
  private static func isID(_ word: String) -> Bool {
    word.utf8.count >= ShortID.leastShown && word.utf8.allSatisfy { (0x61...0x66).contains($0) }
  }

  /// Whether a word is given to a command: a name in capitals, an ID, a path.
  private static func isValue(_ word: String) -> Bool {
    let core = core(word)
    guard let first = core.first, !word.hasPrefix("-") else { return false }
    return isID(core) || core.contains { $0.isNumber || "/=<>[]|&.$".contains($0) }
      || (first.isUppercase && core.allSatisfy { $0.isUppercase || $0 == "_" })
  }
}
