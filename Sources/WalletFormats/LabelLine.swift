/// One line of a BIP-329 file: a JSON object with `type` and `ref`.
///
/// Fields that BIP-329 does not name are allowed, as it says.
struct LabelLine {
  private static let types = ["tx", "addr", "pubkey", "input", "output", "xpub"]

  private enum Field: String, CaseIterable {
    case type
    case ref
    case label
    case origin
    case spendable
  }

  /// Which of ``Field`` were seen.
  private var seen: Set<Field> = []
  private var scanner = JSONScanner()

  static func check(_ text: RawSpan) throws(LabelProblem) {
    var line = LabelLine()
    try line.object(text)
    guard line.seen.contains(.type) else { throw .type }
    guard line.seen.contains(.ref) else { throw .reference }
  }

  private mutating func object(_ text: RawSpan) throws(LabelProblem) {
    do {
      scanner.skipSpace(text)
      try scanner.expect("{", text)
      scanner.skipSpace(text)
      if !scanner.skip("}", text) {
        repeat { try field(text) } while scanner.skip(",", text)
        try scanner.expect("}", text)
      }
      scanner.skipSpace(text)
      guard scanner.position == text.byteCount else { throw LabelProblem.notJSONObject }
    } catch let problem as LabelProblem {
      throw problem
    } catch {
      throw .notJSONObject
    }
  }

  private mutating func field(_ text: RawSpan) throws {
    scanner.skipSpace(text)
    let name = try scanner.string(text)
    scanner.skipSpace(text)
    try scanner.expect(":", text)
    scanner.skipSpace(text)
    let nameSpan = text.extracting(name)
    // A name may be spelled with escapes to look like another: none of the
    // fields that count needs any.
    for offset in name where text.byte(offset) == 0x5C { throw LabelProblem.notJSONObject }
    if let field = Field.allCases.first(where: { field in nameSpan.equals(field.rawValue) }) {
      guard seen.insert(field).inserted else { throw LabelProblem.duplicateField }
      try value(of: field, text)
    } else {
      try scanner.value(text)
    }
    scanner.skipSpace(text)
  }

  private mutating func value(of field: Field, _ text: RawSpan) throws {
    guard field != .spendable else {
      guard scanner.skip("true", text) || scanner.skip("false", text) else {
        throw LabelProblem.field
      }
      return
    }
    guard scanner.peek(text) == 0x22 else {
      switch field {
      case .type: throw LabelProblem.type
      case .ref: throw LabelProblem.reference
      default: throw LabelProblem.field
      }
    }
    let content = text.extracting(try scanner.string(text))
    if field == .ref, content.byteCount == 0 { throw LabelProblem.reference }
    if field == .type, !Self.types.contains(where: { type in content.equals(type) }) {
      throw LabelProblem.type
    }
  }
}
