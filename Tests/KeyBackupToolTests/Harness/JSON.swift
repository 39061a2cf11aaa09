import FoundationEssentials

/// A JSON value in an output or a file.
enum JSON: Decodable, Equatable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  init(_ bytes: [UInt8]) throws {
    self = try JSONDecoder().decode(JSON.self, from: Data(bytes))
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSON].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSON].self))
    }
  }

  subscript(name: String) -> JSON {
    if case .object(let fields) = self { return fields[name] ?? .null }
    return .null
  }

  subscript(index: Int) -> JSON {
    if case .array(let values) = self, values.indices.contains(index) { return values[index] }
    return .null
  }

  var text: String? { if case .string(let value) = self { value } else { nil } }
  var number: Int? { if case .number(let value) = self { Int(value) } else { nil } }
  var flag: Bool? { if case .bool(let value) = self { value } else { nil } }
  var names: [String] { if case .object(let fields) = self { fields.keys.sorted() } else { [] } }
  var items: [JSON] { if case .array(let values) = self { values } else { [] } }
}

extension Outcome {
  /// Standard output as one JSON object, which it must be.
  func json() throws -> JSON {
    let value = try JSON(output)
    guard value["schema"] == .number(1) else { throw NotThatJSON(text: out) }
    return value
  }
}

/// The error when standard output is not an object of schema 1.
struct NotThatJSON: Error { let text: String }
