/// A document of docs/ with what it uses of Markdown: headings, paragraphs, lists, tables, code.
struct Markdown {
  private enum Block {
    case heading(level: Int, String)
    case paragraph(String)
    case entry(mark: String, String)
    case row([String])
    case code([String])
  }

  private var blocks: [Block] = []

  /// Reads a document.
  init(_ document: String) {
    var lines = document.split(separator: "\n", omittingEmptySubsequences: false)[...]
    while let line = lines.first {
      if line.hasPrefix("```") {
        lines.removeFirst()
        let code = lines.prefix { !$0.hasPrefix("```") }
        lines.removeFirst(min(code.count + 1, lines.count))
        blocks.append(.code(code.map(String.init)))
      } else if line.hasPrefix("    "), !line.allSatisfy(\.isWhitespace), !isInList {
        let code = lines.prefix { $0.hasPrefix("    ") }
        lines.removeFirst(code.count)
        blocks.append(.code(code.map { String($0.dropFirst(4)) }))
      } else {
        lines.removeFirst()
        add(line)
      }
    }
  }

  private var isInList: Bool {
    if case .entry = blocks.last { return true }
    return false
  }

  /// Whether the next line goes on with the block before.
  private var isOpen = false

  private mutating func add(_ line: Substring) {
    let text = line.drop { $0 == " " }
    if text.isEmpty || text.hasPrefix("<!--") {
      isOpen = false
      return
    }
    if text.hasPrefix("#") {
      let level = text.prefix { $0 == "#" }.count
      blocks.append(.heading(level: level, String(text.dropFirst(level + 1))))
      isOpen = false
    } else if text.hasPrefix("|") {
      let cells = Self.cells(text)
      let isRule = cells.allSatisfy { $0.allSatisfy { "-: ".contains($0) } }
      if isRule {
        // The row before is the table's head.
        if case .row = blocks.last { blocks.removeLast() }
      } else {
        blocks.append(.row(cells))
      }
      isOpen = false
    } else if let (mark, rest) = Self.entry(text) {
      blocks.append(.entry(mark: mark, rest))
      isOpen = true
    } else {
      let words = String(text.hasPrefix("> ") ? text.dropFirst(2) : text)
      if isOpen || (isInList && line.hasPrefix("  ")) {
        switch blocks.popLast() {
        case .paragraph(let before): blocks.append(.paragraph(before + " " + words))
        case .entry(let mark, let before):
          blocks.append(.entry(mark: mark, before + " " + words))
        case let other:
          if let other { blocks.append(other) }
          blocks.append(.paragraph(words))
        }
      } else {
        blocks.append(.paragraph(words))
      }
      isOpen = true
    }
  }

  private static func entry(_ text: Substring) -> (String, String)? {
    if text.hasPrefix("- ") || text.hasPrefix("* ") { return ("\\(bu", String(text.dropFirst(2))) }
    let digits = text.prefix(while: \.isNumber)
    guard !digits.isEmpty, digits.count < 3, text.dropFirst(digits.count).hasPrefix(". ") else {
      return nil
    }
    return (digits + ".", String(text.dropFirst(digits.count + 2)))
  }

  /// The cells of a table's row.
  private static func cells(_ row: Substring) -> [String] {
    var cells: [String] = []
    var cell = ""
    var isCode = false
    var isEscaped = false
    for character in row.dropFirst() {
      if isEscaped {
        cell.append(character)
        isEscaped = false
      } else if character == "\\", !isCode {
        isEscaped = true
      } else if character == "|", !isCode {
        cells.append(cell.trimmed)
        cell = ""
      } else {
        if character == "`" { isCode.toggle() }
        cell.append(character)
      }
    }
    if !cell.trimmed.isEmpty { cells.append(cell.trimmed) }
    return cells
  }

  // MARK: Writing

  /// Writes the document below the section that is open, without its title.
  func write(into page: inout Roff) {
    for block in blocks {
      switch block {
      case .heading(level: 1, _): break
      case .heading(level: 2, let title): page.section(Self.words(title))
      case .heading(_, let title): page.subsection(Self.words(title))
      case .paragraph(let text):
        page.line(".PP")
        page.line(Self.inline(text))
      case .entry(let mark, let text):
        page.line(".IP \"\(mark)\" 4")
        page.line(Self.inline(text))
      case .row(let cells):
        page.line(".TP")
        page.line(Self.inline(cells.first ?? "", isTerm: true))
        let rest = cells.dropFirst().filter { !$0.isEmpty }.map { Self.inline($0) }
        page.line(rest.isEmpty ? "\\-" : rest.joined(separator: " \\(em ").guarded)
      case .code(let lines):
        page.code(lines.flatMap(Self.broken))
      }
    }
  }

  /// A line of code in lines that fit on a page.
  private static func broken(_ line: String) -> [String] {
    let width = 66
    guard line.count > width else { return [line] }
    let indent = line.prefix { $0 == " " }.count
    var parts: [String] = []
    var part = ""
    for character in line {
      part.append(character)
      guard part.count > width else { continue }
      let end = part.lastIndex(of: " ").flatMap { index in
        part.distance(from: part.startIndex, to: index) > indent + 8 ? index : nil
      }
      let cut = end.map { part.index(after: $0) } ?? part.index(before: part.endIndex)
      parts.append(String(part[..<cut]).trimmedEnd)
      part = String(repeating: " ", count: indent + 4) + part[cut...]
    }
    return parts + [part]
  }

  /// Words with the marks taken out.
  private static func words(_ text: String) -> String {
    text.replacing("`", with: "").replacing("**", with: "")
  }

  /// Text with code and stress in bold, links as their words.
  private static func inline(_ text: String, isTerm: Bool = false) -> String {
    var result = ""
    let parts = unlinked(text).split(separator: "`", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      result += isTerm || index % 2 == 1 ? Roff.bold(String(part)) : stressed(String(part))
    }
    return result.guarded
  }

  private static func stressed(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "**"),
      let end = rest[start.upperBound...].firstRange(of: "**")
    {
      result += spaced(rest[..<start.lowerBound])
      result += Roff.bold(String(rest[start.upperBound..<end.lowerBound]))
      rest = rest[end.upperBound...]
    }
    return result + spaced(rest)
  }

  /// Words as they are, with the spaces around them.
  private static func spaced(_ text: Substring) -> String {
    guard !text.isEmpty else { return "" }
    let before = text.hasPrefix(" ") ? " " : ""
    let after = text.hasSuffix(" ") && text.count > 1 ? " " : ""
    let words = String(text).replacing("*", with: "")
    let prose = Roff.prose(words)
    return before + (prose.hasPrefix("\\&") ? String(prose.dropFirst(2)) : prose) + after
  }

  /// `[words](address)` as its words.
  private static func unlinked(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let middle = rest.firstRange(of: "]("),
      let start = rest[..<middle.lowerBound].lastIndex(of: "["),
      let end = rest[middle.upperBound...].firstIndex(of: ")")
    {
      result += rest[..<start] + rest[rest.index(after: start)..<middle.lowerBound]
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }
}

extension StringProtocol {
  /// Without spaces at its ends.
  fileprivate var trimmed: String {
    String(drop { $0 == " " }).trimmedEnd
  }

  /// Without spaces at its end.
  fileprivate var trimmedEnd: String {
    var text = String(self)
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }

  /// No macro is read from it.
  fileprivate var guarded: String {
    hasPrefix(".") || hasPrefix("'") ? "\\&" + self : String(self)
  }
}
