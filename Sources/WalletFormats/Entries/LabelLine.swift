internal import CSPP

/// One line of a BIP-329 file: a JSON object with `type` and `ref`.
///
/// As BIP-329 specifies, fields that it does not name are allowed. A field that is null counts as
/// omitted.
enum LabelLine {
  private static let types: [StaticString] = ["tx", "addr", "pubkey", "input", "output", "xpub"]

  static func check(_ text: RawSpan) throws(LabelProblem) {
    let line: JSONObject
    do {
      line = try JSONObject(parsing: text, duplicates: .refusedOnLookup)
    } catch {
      throw .notJSONObject
    }
    let type = try field("type", of: line, in: text)
    guard let type, types.contains(where: { type.equals($0, in: text) }) else { throw .type }
    guard let reference = try field("ref", of: line, in: text), reference.kind == .string,
      !reference.range.isEmpty
    else { throw .reference }
    for name in ["label", "origin"] as [StaticString] {
      if let value = try field(name, of: line, in: text), value.kind != .string { throw .field }
    }
    if let value = try field("spendable", of: line, in: text),
      value.kind != .boolTrue, value.kind != .boolFalse
    {
      throw .field
    }
  }

  /// Whether a line is a record of a type that BIP-329 does not define: importers ignore it.
  static func isOfUnknownType(_ text: RawSpan) -> Bool {
    guard let line = try? JSONObject(parsing: text, duplicates: .refusedOnLookup),
      let type = try? line.value("type", in: text), type.kind == .string, !type.range.isEmpty
    else { return false }
    return !types.contains { type.equals($0, in: text) }
  }

  private static func field(
    _ name: StaticString, of line: JSONObject, in text: RawSpan
  ) throws(LabelProblem) -> JSONValue? {
    do {
      return try line.optional(name, in: text)
    } catch {
      throw .duplicateField
    }
  }
}
