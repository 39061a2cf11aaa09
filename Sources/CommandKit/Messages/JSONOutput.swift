internal import CommandSupport

/// JSON as this command prints it: objects with sorted keys, in one line, so
/// that equal results are equal bytes.
package enum JSONOutput: Sendable, Equatable, ExpressibleByStringLiteral,
  ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  case null
  case bool(Bool)
  case number(Int)
  case string(String)
  case array([JSONOutput])
  case object([String: JSONOutput])

  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int) { self = .number(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: JSONOutput...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSONOutput)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }

  /// The string, or null for nil.
  package static func optional(_ value: String?) -> JSONOutput {
    value.map(JSONOutput.string) ?? .null
  }

  /// The number, or null for nil.
  package static func optional(_ value: Int?) -> JSONOutput {
    value.map(JSONOutput.number) ?? .null
  }

  /// The truth value, or null for nil.
  package static func optional(_ value: Bool?) -> JSONOutput { value.map(JSONOutput.bool) ?? .null }

  /// A member of an object; setting turns any other value into an object.
  package subscript(key: String) -> JSONOutput? {
    get {
      if case .object(let members) = self { members[key] } else { nil }
    }
    set {
      var members: [String: JSONOutput] = [:]
      if case .object(let existing) = self { members = existing }
      members[key] = newValue
      self = .object(members)
    }
  }

  /// An object with the members of another one, too.
  package func merging(_ other: JSONOutput) -> JSONOutput {
    guard case .object(let own) = self, case .object(let more) = other else { return self }
    return .object(own.merging(more) { $1 })
  }

  /// The JSON text.
  package var text: String {
    var text = ""
    write(into: &text)
    return text
  }

  private func write(into text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let value): text += String(value)
    case .string(let value): Self.write(value, into: &text)
    case .array(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += "," }
        element.write(into: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, key) in members.keys.sorted().enumerated() {
        if index > 0 { text += "," }
        Self.write(key, into: &text)
        text += ":"
        members[key]?.write(into: &text)
      }
      text += "}"
    }
  }

  /// Escapes what JSON demands, and every other control character, so that a
  /// crafted name cannot steer a terminal that shows the JSON.
  private static func write(_ value: String, into text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case _ where UnsafeText.isUnsafe(scalar):
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
