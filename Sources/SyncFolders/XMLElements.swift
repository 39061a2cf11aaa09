internal import CommandKit

/// The elements of another program's XML file, in order.
///
/// It supports the parts that settings files use: elements, attributes, text, comments. There are
/// no entities but XML's five, no document types, and nothing is fetched. Malformed text ends the
/// list with the elements read so far.
struct XMLElements: Sendable {
  /// One element.
  struct Element: Sendable {
    /// Its name after those of the elements around it: "configuration/folder".
    var path: String
    var attributes: [String: String]
    /// The text between its tags, without that of inner elements.
    var text: String
    /// The index of the element around it in ``XMLElements/all``; nil for the outermost.
    var parent: Int?
  }

  /// The elements in the order of their opening tags.
  private(set) var all: [Element] = []

  private static let deepest = 64
  private static let most = 20_000
  private static let longestName = 128

  init(_ text: String) {
    var scanner = XMLScanner(text)
    var open: [Int] = []
    while let piece = scanner.next() {
      switch piece {
      case .text(let text):
        if let last = open.last { all[last].text += text }
      case .start(let name, let attributes, let isEmpty):
        guard open.count < Self.deepest, all.count < Self.most,
          name.utf8.count <= Self.longestName
        else { return }
        let around = open.last.map { all[$0].path + "/" } ?? ""
        all.append(
          Element(path: around + name, attributes: attributes, text: "", parent: open.last))
        if !isEmpty { open.append(all.count - 1) }
      case .end:
        if open.popLast() == nil { return }
      }
    }
  }

  /// The text of the first element at a path, without surrounding space.
  func text(_ path: String) -> String? {
    all.first { $0.path == path }.map { $0.text.trimmed }
  }

  /// The indices of the elements at a path.
  func places(_ path: String) -> [Int] { all.indices.filter { all[$0].path == path } }

  /// The elements with a name directly inside another one.
  func children(_ place: Int, _ name: String) -> [Element] {
    all.filter { $0.parent == place && $0.path == all[place].path + "/" + name }
  }
}

/// Splits XML into tags and text.
private struct XMLScanner {
  enum Piece {
    case text(String)
    case start(String, [String: String], isEmpty: Bool)
    case end
  }

  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  /// The next piece; nil at the end and before malformed text.
  mutating func next() -> Piece? {
    while let first = rest.first {
      guard first == UInt8(ascii: "<") else {
        return .text(Self.decoded(take(until: UInt8(ascii: "<")) ?? takeAll()))
      }
      if starts("<!--") {
        guard skip(past: "-->") else { return nil }
      } else if starts("<?") || starts("<!") {
        guard take(until: UInt8(ascii: ">")) != nil else { return nil }
        rest.removeFirst()
      } else {
        return tag()
      }
    }
    return nil
  }

  private mutating func tag() -> Piece? {
    rest.removeFirst()
    if rest.first == UInt8(ascii: "/") {
      guard take(until: UInt8(ascii: ">")) != nil else { return nil }
      rest.removeFirst()
      return .end
    }
    let name = word()
    guard !name.isEmpty else { return nil }
    var attributes: [String: String] = [:]
    while true {
      skipSpace()
      switch rest.first {
      case UInt8(ascii: ">"):
        rest.removeFirst()
        return .start(name, attributes, isEmpty: false)
      case UInt8(ascii: "/"):
        rest.removeFirst()
        guard rest.first == UInt8(ascii: ">") else { return nil }
        rest.removeFirst()
        return .start(name, attributes, isEmpty: true)
      default:
        let key = word()
        guard !key.isEmpty, rest.first == UInt8(ascii: "=") else { return nil }
        rest.removeFirst()
        guard let quote = rest.first, quote == 0x22 || quote == 0x27 else { return nil }
        rest.removeFirst()
        guard let value = take(until: quote) else { return nil }
        rest.removeFirst()
        attributes[key] = Self.decoded(value)
      }
    }
  }

  /// Reads a name, up to a character that it cannot contain.
  private mutating func word() -> String {
    let end = rest.firstIndex { $0 <= 0x20 || $0 == 0x3E || $0 == 0x2F || $0 == 0x3D || $0 == 0x3C }
    let word = rest[..<(end ?? rest.endIndex)]
    rest = rest[word.endIndex...]
    return String(word) ?? ""
  }

  private mutating func skipSpace() { rest = rest.drop { $0 <= 0x20 } }

  /// Takes the text before a byte; nil, with nothing taken, if the byte is missing.
  private mutating func take(until byte: UInt8) -> Substring.UTF8View? {
    guard let end = rest.firstIndex(of: byte) else { return nil }
    defer { rest = rest[end...] }
    return rest[..<end]
  }

  private mutating func takeAll() -> Substring.UTF8View {
    defer { rest = rest[rest.endIndex...] }
    return rest
  }

  private func starts(_ text: String) -> Bool { rest.starts(with: text.utf8) }

  private mutating func skip(past end: String) -> Bool {
    while !rest.isEmpty {
      if starts(end) {
        rest = rest.dropFirst(end.utf8.count)
        return true
      }
      rest.removeFirst()
    }
    return false
  }

  /// Decodes text with the references that XML defines without a declaration.
  private static func decoded(_ bytes: Substring.UTF8View) -> String {
    let text = String(bytes) ?? ""
    guard text.contains("&") else { return text }
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "&") {
      result += rest[..<start]
      rest = rest[start...]
      guard let end = rest.prefix(12).firstIndex(of: ";") else {
        result += "&"
        rest = rest.dropFirst()
        continue
      }
      result += character(rest[rest.index(after: start)..<end]) ?? String(rest[...end])
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  private static func character(_ name: Substring) -> String? {
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      let number =
        name.hasPrefix("#x")
        ? UInt32(name.dropFirst(2), radix: 16)
        : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
      return number.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }
  }
}
