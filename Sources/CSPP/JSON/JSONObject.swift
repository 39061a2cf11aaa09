internal import SecretMemory

/// The members of one object: places in a text that stays where it is.
package struct JSONObject: Sendable {
  /// A member: its name as a string value, and its value.
  package struct Member: Sendable {
    /// The name, a string value.
    package let name: JSONValue
    /// The value.
    package let value: JSONValue
  }

  /// Which names may not appear twice.
  package enum Duplicates: Sendable {
    /// Any: our own formats.
    case refused
    /// Only those that are looked up: formats with fields unknown to us.
    case refusedOnLookup
  }

  /// Members in the order of the text.
  package let members: [Member]

  /// Most members of an object in which every pair of names is compared.
  private static let memberLimit = 64

  /// Collects the members of a checked object.
  ///
  /// - Throws: ``CSPPError/notAnObject``, ``CSPPError/duplicateField(_:)``.
  package init(
    _ value: JSONValue, in text: RawSpan, duplicates: Duplicates
  ) throws(CSPPError) {
    guard value.kind == .object else { throw .notAnObject }
    var scanner = JSONScanner(position: value.range.lowerBound, end: value.range.upperBound)
    try self.init(&scanner, in: text, duplicates)
  }

  /// Checks a whole text and collects the members of the object it is.
  package init(parsing text: RawSpan, duplicates: Duplicates) throws(CSPPError) {
    if JSON.isBlank(text) { throw .empty }
    var scanner = JSONScanner(position: 0, end: text.byteCount)
    guard try scanner.peek(in: text) == UInt8(ascii: "{") else {
      _ = try JSON.parse(text)
      throw .notAnObject
    }
    try self.init(&scanner, in: text, duplicates)
    try scanner.finish(in: text)
  }

  /// Reads an object; the scanner is on its brace and ends behind the other.
  private init(
    _ scanner: inout JSONScanner, in text: RawSpan, _ duplicates: Duplicates
  ) throws(CSPPError) {
    scanner.position += 1
    var members: [Member] = []
    members.reserveCapacity(16)
    while try scanner.peek(in: text) != UInt8(ascii: "}") {
      if !members.isEmpty { try scanner.expect(UInt8(ascii: ","), in: text) }
      let name = try scanner.memberName(in: text)
      members.append(Member(name: name, value: try scanner.value(in: text, depth: 1)))
    }
    scanner.position += 1
    self.members = members
    if duplicates == .refused { try refuseDuplicates(in: text) }
  }

  private func refuseDuplicates(in text: RawSpan) throws(CSPPError) {
    guard members.count <= Self.memberLimit else { throw .duplicateField("(too many fields)") }
    for index in members.indices.dropFirst() {
      let name = members[index].name
      for other in 0..<index where name.isSameString(as: members[other].name, in: text) {
        // The name is not repeated in the error: it may be anything.
        throw .duplicateField("(any)")
      }
    }
  }

  /// The value of a member; nil when it is absent.
  ///
  /// - Throws: ``CSPPError/duplicateField(_:)``.
  package func value(
    _ name: StaticString, in text: RawSpan
  ) throws(CSPPError) -> JSONValue? {
    var found: JSONValue?
    for member in members where member.name.equals(name, in: text) {
      guard found == nil else { throw .duplicateField(name.description) }
      found = member.value
    }
    return found
  }

  /// The value of a member; nil when it is absent or null.
  package func optional(
    _ name: StaticString, in text: RawSpan
  ) throws(CSPPError) -> JSONValue? {
    let value = try value(name, in: text)
    return value?.kind == .null ? nil : value
  }

  /// The value of a member that must be there; it may be null.
  package func required(
    _ name: StaticString, in text: RawSpan
  ) throws(CSPPError) -> JSONValue {
    guard let value = try value(name, in: text) else { throw .missingField(name.description) }
    return value
  }
}

/// The elements of an array, one after the other.
package struct JSONElements: Sendable {
  private var scanner: JSONScanner
  private var isFirst = true

  /// Starts at the first element.
  ///
  /// - Parameters:
  ///   - value: a checked array.
  ///   - field: its name, for the error.
  /// - Throws: ``CSPPError/invalidField(_:)`` when it is no array.
  package init(_ value: JSONValue, field: StaticString) throws(CSPPError) {
    guard value.kind == .array else { throw .invalidField(field.description) }
    scanner = JSONScanner(position: value.range.lowerBound + 1, end: value.range.upperBound)
  }

  /// The next element; nil after the last.
  package mutating func next(in text: RawSpan) throws(CSPPError) -> JSONValue? {
    guard try scanner.peek(in: text) != UInt8(ascii: "]") else { return nil }
    if !isFirst { try scanner.expect(UInt8(ascii: ","), in: text) }
    isFirst = false
    return try scanner.value(in: text)
  }
}
