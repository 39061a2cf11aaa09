/// Typed structured data as Ethereum's wallets hash and sign it (EIP-712).
///
/// Every field becomes a word of 32 bytes: a number or a truth value itself, the hash of a text, of
/// an array's words, or of a struct.
enum EIP712 {
  /// A number as a word, `uint256`.
  static func word(_ number: UInt64) -> [UInt8] {
    [UInt8](repeating: 0, count: 24)
      + (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
  }

  /// A truth value as a word, `bool`.
  static func word(_ value: Bool) -> [UInt8] { word(value ? 1 : 0) }

  /// A text as a word, `string`.
  static func word(_ text: String) -> [UInt8] { Keccak256.hash(text) }

  /// An address of 20 bytes as a word, `address`.
  static func word(address: [UInt8]) -> [UInt8] {
    [UInt8](repeating: 0, count: 32 - address.count) + address
  }

  /// A struct as a word.
  ///
  /// - Parameters:
  ///   - type: the struct's encoded type, then those of all structs in it, by name.
  ///   - words: its fields in the type's order, 32 bytes each.
  /// - Returns: its hash.
  static func structure(_ type: String, _ words: [[UInt8]]) -> [UInt8] {
    Keccak256.hash(Keccak256.hash(type) + words.joined())
  }

  /// An array of structs as a word.
  static func array(_ words: [[UInt8]]) -> [UInt8] { Keccak256.hash(Array(words.joined())) }

  /// The signed hash: of a message in the domain of an application that has a name and a version.
  static func hash(name: String, version: String, message: [UInt8]) -> [UInt8] {
    let domain = structure(
      "EIP712Domain(string name,string version)", [word(name), word(version)])
    return Keccak256.hash([0x19, 0x01] + domain + message)
  }
}

/// Celo's stand-in for a value that may be absent, which EIP-712 has no word for: a struct of the
/// value, and whether it counts.
package struct EIP712Optional<Value: Equatable & Sendable>: Equatable, Sendable {
  /// Whether the value counts.
  package let isDefined: Bool
  /// The value; zero, empty or false where it does not count.
  package let value: Value

  /// Puts both together, as a file has them.
  init(isDefined: Bool, value: Value) {
    self.isDefined = isDefined
    self.value = value
  }

  /// A value that counts.
  init(_ value: Value) { self.init(isDefined: true, value: value) }

  /// The value where it counts, else nil.
  package var defined: Value? { isDefined ? value : nil }

  /// The struct as a word.
  ///
  /// - Parameters:
  ///   - type: EIP-712's name of the value's type.
  ///   - word: the value as a word.
  /// - Returns: the hash, 32 bytes.
  func word(_ type: String, _ word: (Value) -> [UInt8]) -> [UInt8] {
    EIP712.structure(
      Self.encodedType(type), [EIP712.word(isDefined), word(value)])
  }

  /// The struct as JSON.
  func json(_ value: (Value) -> String) -> String {
    "{\"defined\":\(isDefined),\"value\":\(value(self.value))}"
  }

  /// The struct's encoded type.
  static func encodedType(_ type: String) -> String {
    "Optional<\(type)>(bool defined,\(type) value)"
  }
}
