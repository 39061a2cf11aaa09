/// One CBOR data item as CTAP 2.1 section 8 allows it: no tags, no floats, no indefinite lengths,
/// at most four nested levels.
enum CBOR: Equatable, Sendable {
  case integer(Int)
  case bytes([UInt8])
  case text(String)
  case array([CBOR])
  case map([Pair])
  case boolean(Bool)
  case null

  struct Pair: Equatable, Sendable {
    let key: CBOR
    let value: CBOR
  }
}

// MARK: - Building and reading

extension CBOR {
  /// A map with integer keys; omits entries whose value is nil.
  static func fields(_ entries: [(Int, CBOR?)]) -> CBOR {
    .map(entries.compactMap { key, value in value.map { Pair(key: .integer(key), value: $0) } })
  }

  /// A map with text keys; omits entries whose value is nil.
  static func named(_ entries: [(String, CBOR?)]) -> CBOR {
    .map(entries.compactMap { key, value in value.map { Pair(key: .text(key), value: $0) } })
  }

  subscript(key: Int) -> CBOR? { self[CBOR.integer(key)] }
  subscript(key: String) -> CBOR? { self[CBOR.text(key)] }
  subscript(key: CBOR) -> CBOR? {
    guard case .map(let pairs) = self else { return nil }
    return pairs.first { $0.key == key }?.value
  }

  var integer: Int? { if case .integer(let value) = self { value } else { nil } }
  var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
  var text: String? { if case .text(let value) = self { value } else { nil } }
  var array: [CBOR]? { if case .array(let value) = self { value } else { nil } }
  var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
  var isMap: Bool { if case .map = self { true } else { false } }
}

// MARK: - Encoding

extension CBOR {
  /// The canonical CTAP2 encoding: shortest lengths, and map keys in bytewise order of their
  /// encodings.
  ///
  /// With shortest lengths that is the order that the specification requires.
  var encoded: [UInt8] {
    var output: [UInt8] = []
    encode(into: &output)
    return output
  }

  private func encode(into output: inout [UInt8]) {
    switch self {
    case .integer(let value) where value >= 0:
      Self.head(0, UInt64(value), into: &output)
    case .integer(let value):
      Self.head(1, UInt64(-1 - value), into: &output)
    case .bytes(let value):
      Self.head(2, UInt64(value.count), into: &output)
      output += value
    case .text(let value):
      Self.head(3, UInt64(value.utf8.count), into: &output)
      output += value.utf8
    case .array(let items):
      Self.head(4, UInt64(items.count), into: &output)
      for item in items { item.encode(into: &output) }
    case .map(let pairs):
      Self.head(5, UInt64(pairs.count), into: &output)
      let sorted = pairs.map { ($0.key.encoded, $0.value) }
        .sorted { $0.0.lexicographicallyPrecedes($1.0) }
      for (key, value) in sorted {
        output += key
        value.encode(into: &output)
      }
    case .boolean(let value):
      output.append(value ? 0xF5 : 0xF4)
    case .null:
      output.append(0xF6)
    }
  }

  private static func head(_ major: UInt8, _ value: UInt64, into output: inout [UInt8]) {
    let type = major << 5
    let (info, size): (UInt8, Int) =
      switch value {
      case 0..<24: (UInt8(value), 0)
      case 24...0xFF: (24, 1)
      case 0x100...0xFFFF: (25, 2)
      case 0x1_0000...0xFFFF_FFFF: (26, 4)
      default: (27, 8)
      }
    output.append(type | info)
    for shift in (0..<size).reversed() {
      output.append(UInt8(truncatingIfNeeded: value >> (8 * shift)))
    }
  }
}

// MARK: - Decoding

extension CBOR {
  /// The reason why bytes are not acceptable CBOR.
  ///
  /// CTAP answers all of them with one status.
  enum DecodingError: Error {
    case truncated
    case trailingBytes
    case notMinimal
    case tooDeep
    case unsupported
    case duplicateKey
    case badText
  }

  /// Decodes exactly one item that fills `input`.
  init(decoding input: [UInt8]) throws(DecodingError) {
    var reader = CBORReader(input)
    self = try reader.item(depth: 0)
    guard reader.isAtEnd else { throw .trailingBytes }
  }

  /// Decodes a map and also returns each value's bytes as sent.
  ///
  /// A pinUvAuthParam authenticates the bytes, not their meaning.
  static func mapWithRawValues(
    decoding input: [UInt8]
  ) throws(DecodingError) -> (map: CBOR, raw: [Int: [UInt8]]) {
    var reader = CBORReader(input)
    var raw: [Int: [UInt8]] = [:]
    let map = try reader.item(depth: 0) { key, bytes in
      if let key = key.integer { raw[key] = bytes }
    }
    guard reader.isAtEnd else { throw .trailingBytes }
    guard map.isMap else { throw .unsupported }
    return (map, raw)
  }
}

/// Reads items from a buffer controlled by the other side.
private struct CBORReader {
  private let input: [UInt8]
  private var position = 0

  init(_ input: [UInt8]) { self.input = input }

  var isAtEnd: Bool { position == input.count }

  mutating func item(
    depth: Int, onTopLevelValue: ((CBOR, [UInt8]) -> Void)? = nil
  ) throws(CBOR.DecodingError) -> CBOR {
    // The contents of the innermost of the four levels that CTAP allows.
    guard depth <= 4 else { throw .tooDeep }
    let first = try take(1)[0]
    let info = first & 0x1F
    if first >> 5 == 7 {
      switch info {
      case 20: return .boolean(false)
      case 21: return .boolean(true)
      case 22: return .null
      default: throw .unsupported
      }
    }
    let argument = try argument(info)
    switch first >> 5 {
    case 0: return .integer(argument)
    case 1: return .integer(-1 - argument)
    case 2: return .bytes(try take(argument))
    case 3:
      guard let text = String(validating: try take(argument), as: UTF8.self) else {
        throw .badText
      }
      return .text(text)
    case 4:
      // Every item takes at least a byte, so a count beyond the input is false and must not cause
      // an allocation.
      guard argument <= input.count - position else { throw .truncated }
      var items: [CBOR] = []
      for _ in 0..<argument { items.append(try item(depth: depth + 1)) }
      return .array(items)
    case 5:
      guard argument <= input.count - position else { throw .truncated }
      var pairs: [CBOR.Pair] = []
      for _ in 0..<argument {
        let key = try item(depth: depth + 1)
        guard !pairs.contains(where: { $0.key == key }) else { throw .duplicateKey }
        let start = position
        let value = try item(depth: depth + 1)
        onTopLevelValue?(key, Array(input[start..<position]))
        pairs.append(.init(key: key, value: value))
      }
      return .map(pairs)
    default: throw .unsupported
    }
  }

  private mutating func argument(_ info: UInt8) throws(CBOR.DecodingError) -> Int {
    if info < 24 { return Int(info) }
    guard info <= 27 else { throw .unsupported }
    let size = 1 << Int(info - 24)
    let value = try take(size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let least: UInt64 = [24, 0x100, 0x1_0000, 0x1_0000_0000][Int(info - 24)]
    guard value >= least else { throw .notMinimal }
    guard let result = Int(exactly: value) else { throw .unsupported }
    return result
  }

  private mutating func take(_ count: Int) throws(CBOR.DecodingError) -> [UInt8] {
    guard count >= 0, count <= input.count - position else { throw .truncated }
    defer { position += count }
    return Array(input[position..<position + count])
  }
}
