internal import SecretMemory

/// The members of one object, as ranges in a text that is not copied.
public struct JSONObject: Sendable {
  /// A member: its name as a string value, and its value.
  public struct Member: Sendable {
    /// The name, a string value.
    public let name: JSONValue
    /// The value.
    public let value: JSONValue
  }

  /// The names that must not appear twice.
  public enum Duplicates: Sendable {
    /// All names: for our own formats.
    case refused
    /// Only names that are looked up: for formats with fields unknown to us.
    case refusedOnLookup
  }

  /// The members in the order of the text.
  public let members: [Member]

  /// The most members of an object in which every pair of names is compared.
  private static let memberLimit = 64

  /// Collects the members of a checked object.
  ///
  /// - Throws: ``CSPPError/notAnObject``, ``CSPPError/duplicateField(_:)``.
  public init(
    _ value: JSONValue, in text: RawSpan, duplicates: Duplicates
  ) throws(CSPPError) {
    guard value.kind == .object else { throw .notAnObject }
    var scanner = JSONScanner(position: value.range.lowerBound, end: value.range.upperBound)
    try self.init(&scanner, in: text, duplicates)
  }

  /// Parses a whole text and collects the members of its object.
  public init(parsing text: RawSpan, duplicates: Duplicates) throws(CSPPError) {
    if JSON.isBlank(text) { throw .empty }
    var scanner = JSONScanner(position: 0, end: text.byteCount)
    guard try scanner.peek(in: text) == UInt8(ascii: "{") else {
      _ = try JSON.parse(text)
      throw .notAnObject
    }
    try self.init(&scanner, in: text, duplicates)
    try scanner.finish(in: text)
  }

  /// Reads an object; the scanner starts at its opening brace and ends after the closing one.
  private init(
    _ scanner: inout JSONScanner, in text: RawSpan, _ duplicates: Duplicates
  ) throws(CSPPError) {
    scanner.position += 1
    var members: [Member] = []
    members.reserveCapacity(16)
    while try scanner.peek(in: text) != UInt8(ascii: "}") {
      if !members.isEmpty { try scanner.expect(UInt8(ascii: ","), in: text) }
      // Refused here, so that an object of millions of members costs no memory.
      guard duplicates != .refused || members.count < Self.memberLimit else {
        throw .duplicateField("(too many fields)")
      }
      let name = try scanner.memberName(in: text)
      members.append(Member(name: name, value: try scanner.value(in: text, depth: 1)))
    }
    scanner.position += 1
    self.members = members
    if duplicates == .refused { try refuseDuplicates(in: text) }
  }

  private func refuseDuplicates(in text: RawSpan) throws(CSPPError) {
    for index in members.indices.dropFirst() {
      let name = members[index].name
      for other in 0..<index where name.isSameString(as: members[other].name, in: text) {
        // The error does not repeat the name, which may be anything.
        throw .duplicateField("(any)")
      }
    }
  }

  /// The value of a member; nil when it is absent.
  ///
  /// - Throws: ``CSPPError/duplicateField(_:)``.
  public func value(
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
  public func optional(
    _ name: StaticString, in text: RawSpan
  ) throws(CSPPError) -> JSONValue? {
    let value = try value(name, in: text)
    return value?.kind == .null ? nil : value
  }

  /// The value of a required member; it may be null.
  public func required(
    _ name: StaticString, in text: RawSpan
  ) throws(CSPPError) -> JSONValue {
    guard let value = try value(name, in: text) else { throw .missingField(name.description) }
    return value
  }
}

/// Iterates over the elements of an array.
public struct JSONElements: Sendable {
  private var scanner: JSONScanner
  private var isFirst = true

  /// Starts at the first element.
  ///
  /// - Parameters:
  ///   - value: a checked array.
  ///   - field: the field's name, for the error.
  /// - Throws: ``CSPPError/invalidField(_:)`` when the value is not an array.
  public init(_ value: JSONValue, field: StaticString) throws(CSPPError) {
    guard value.kind == .array else { throw .invalidField(field.description) }
    scanner = JSONScanner(position: value.range.lowerBound + 1, end: value.range.upperBound)
  }

  /// The next element; nil after the last.
  public mutating func next(in text: RawSpan) throws(CSPPError) -> JSONValue? {
    guard try scanner.peek(in: text) != UInt8(ascii: "]") else { return nil }
    if !isFirst { try scanner.expect(UInt8(ascii: ","), in: text) }
    isFirst = false
    return try scanner.value(in: text)
  }
}
