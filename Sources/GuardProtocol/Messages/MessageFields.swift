internal import CSPP
internal import RistrettoVOPRF
internal import SecretMemory

/// The fields of one message, read strictly: none unknown, none twice, each within its bounds.
struct MessageFields {
  private let object: JSONObject

  /// Parses a body.
  ///
  /// - Throws: ``GuardProtocolError/tooLarge``, ``GuardProtocolError/malformed(_:)``.
  init(_ body: RawSpan, _ known: [StaticString]) throws(GuardProtocolError) {
    guard body.byteCount <= GuardCall.maximumBodySize else { throw .tooLarge }
    do throws(CSPPError) {
      object = try JSONObject(parsing: body, duplicates: .refused)
    } catch {
      throw GuardProtocolError(error)
    }
    try refuseOthers(than: known, in: body)
  }

  /// Takes an object inside a body.
  init(_ value: JSONValue, in body: RawSpan, _ known: [StaticString]) throws(GuardProtocolError) {
    do throws(CSPPError) {
      object = try JSONObject(value, in: body, duplicates: .refused)
    } catch {
      throw GuardProtocolError(error)
    }
    try refuseOthers(than: known, in: body)
  }

  private func refuseOthers(
    than known: [StaticString], in body: RawSpan
  ) throws(GuardProtocolError) {
    for member in object.members
    where !known.contains(where: { member.name.equals($0, in: body) }) {
      throw .malformed("has an unknown field")
    }
  }

  /// A field that may be absent; null is not allowed in its place.
  func value(_ name: StaticString, in body: RawSpan) throws(GuardProtocolError) -> JSONValue? {
    do throws(CSPPError) {
      return try object.value(name, in: body)
    } catch {
      throw GuardProtocolError(error)
    }
  }

  /// A field.
  func required(_ name: StaticString, in body: RawSpan) throws(GuardProtocolError) -> JSONValue {
    guard let value = try value(name, in: body) else {
      throw GuardProtocolError(.missingField(name.description))
    }
    return value
  }

  /// Bytes as lower-case digits.
  func hex(
    _ name: StaticString, count: Int, in body: RawSpan
  ) throws(GuardProtocolError) -> [UInt8] {
    let value = try required(name, in: body)
    do throws(CSPPError) {
      return try value.hex(name, in: body, count: count)
    } catch {
      throw GuardProtocolError(error)
    }
  }

  /// An identifier as lower-case digits.
  func identifier<ID: HexIdentifier>(
    _ name: StaticString, in body: RawSpan
  ) throws(GuardProtocolError) -> ID {
    guard let id = ID(bytes: try hex(name, count: ID.byteCount, in: body)) else {
      throw Self.invalid(name)
    }
    return id
  }

  /// An element of ristretto255.
  func element(
    _ name: StaticString, in body: RawSpan
  ) throws(GuardProtocolError) -> RistrettoElement {
    let bytes = try hex(name, count: RistrettoElement.size, in: body)
    do throws(VOPRFError) { return try RistrettoElement(bytes) } catch { throw Self.invalid(name) }
  }

  /// A whole number up to `limit`; nil where the field may be absent and is.
  func optionalNumber(
    _ name: StaticString, upTo limit: UInt64 = UInt64(Int64.max), in body: RawSpan
  ) throws(GuardProtocolError) -> UInt64? {
    guard let value = try value(name, in: body) else { return nil }
    let number: UInt64
    do throws(CSPPError) {
      number = try value.integer(name, in: body)
    } catch {
      throw GuardProtocolError(error)
    }
    guard number <= limit else { throw Self.invalid(name) }
    return number
  }

  /// A whole number up to `limit`.
  func number(
    _ name: StaticString, upTo limit: UInt64 = UInt64(Int64.max), in body: RawSpan
  ) throws(GuardProtocolError) -> UInt64 {
    guard let number = try optionalNumber(name, upTo: limit, in: body) else {
      throw GuardProtocolError(.missingField(name.description))
    }
    return number
  }

  /// A text of 1 to `limit` visible ASCII characters.
  func text(
    _ name: StaticString, upTo limit: Int, in body: RawSpan
  ) throws(GuardProtocolError) -> String {
    try Self.text(try required(name, in: body), name, upTo: limit, in: body)
  }

  /// A list of such texts, at most 16.
  func texts(
    _ name: StaticString, upTo limit: Int, in body: RawSpan
  ) throws(GuardProtocolError) -> [String] {
    var texts: [String] = []
    for value in try list(name, in: body) {
      texts.append(try Self.text(value, name, upTo: limit, in: body))
    }
    return texts
  }

  /// A list of at most 16 values.
  func list(_ name: StaticString, in body: RawSpan) throws(GuardProtocolError) -> [JSONValue] {
    let value = try required(name, in: body)
    var values: [JSONValue] = []
    do throws(CSPPError) {
      var elements = try JSONElements(value, field: name)
      while values.count <= 16, let element = try elements.next(in: body) { values.append(element) }
    } catch {
      throw GuardProtocolError(error)
    }
    guard values.count <= 16 else { throw Self.invalid(name) }
    return values
  }

  static func invalid(_ name: StaticString) -> GuardProtocolError {
    GuardProtocolError(.invalidField(name.description))
  }

  private static func text(
    _ value: JSONValue, _ name: StaticString, upTo limit: Int, in body: RawSpan
  ) throws(GuardProtocolError) -> String {
    let text: String
    do throws(CSPPError) {
      text = try value.text(name, in: body)
    } catch {
      throw GuardProtocolError(error)
    }
    guard (1...limit).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw invalid(name) }
    return text
  }
}

/// Values of JSON that is written.
enum MessageText {
  static func quoted(_ id: some HexIdentifier) -> String { JSONText.quoted(id.hex) }

  static func quoted(_ bytes: [UInt8]) -> String { JSONText.quoted(Hex.string(bytes)) }

  static func list(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }

  static func body(_ members: [(name: String, value: String?)]) -> [UInt8] {
    Array(JSONText.object(members).utf8)
  }
}
