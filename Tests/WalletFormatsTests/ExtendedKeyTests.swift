import SecretMemory
import TestSupport
import Testing

@testable import WalletFormats

@Suite struct ExtendedKeyTests {
  struct Valid: Decodable, Sendable {
    let key: String
    let `private`: Bool
    let network: String
    let form: String
    let depth: Int
    let parent: String
    let child: UInt32
    let plain: String
  }

  struct Invalid: Decodable, Sendable {
    let key: String
    let reason: String
    let error: String
  }

  struct Curve: Decodable {
    struct Coordinate: Decodable {
      let x: String
      let onCurve: Bool
    }
    struct Uncompressed: Decodable {
      let key: String
      let onCurve: Bool
    }
    let coordinates: [Coordinate]
    let uncompressed: [Uncompressed]
  }

  static func valid() throws -> [Valid] {
    try Vectors.decode("bip32/valid.json", as: CaseFile<Valid>.self).cases
  }

  static func invalid() throws -> [Invalid] {
    try Vectors.decode("bip32/invalid.json", as: CaseFile<Invalid>.self).cases
  }

  func refusalOf(
    _ input: String, _ expectation: ExtendedKey.Expectation
  ) -> WalletFormatError? {
    refusal { () throws(WalletFormatError) in
      _ = try ExtendedKey(checking: secret(input), expecting: expectation)
    }
  }

  @Test func `Every version is among the vectors`() throws {
    let forms = try Set(Self.valid().map { $0.key.prefix(4) })
    #expect(forms.count == 20)
  }

  @Test(arguments: try valid())
  func `Valid keys are read`(vector: Valid) throws {
    let expectation: ExtendedKey.Expectation = vector.private ? .privateKey : .publicKey
    let key = try ExtendedKey(checking: secret(" \(vector.key)\r\n"), expecting: expectation)
    #expect(text(key.text) == vector.key)
    #expect(key.isPrivate == vector.private)
    #expect("\(key.network)" == vector.network)
    #expect("\(key.form)" == vector.form)
    #expect(key.depth == vector.depth)
    #expect(key.parentFingerprint?.description == (vector.depth == 0 ? nil : vector.parent))
    #expect(key.childNumber == vector.child)
    #expect(text(key.plainText()) == vector.plain)
  }

  @Test(arguments: try valid())
  func `The other half is refused`(vector: Valid) {
    #expect(
      refusalOf(vector.key, vector.private ? .publicKey : .privateKey)
        == (vector.private ? .extendedKeyIsPrivate : .extendedKeyIsPublic))
  }

  @Test(arguments: try invalid())
  func `Vector five is refused`(vector: Invalid) {
    #expect(name(refusalOf(vector.key, .privateKey)) == vector.error, "\(vector.reason)")
    #expect(name(refusalOf(vector.key, .publicKey)) == vector.error, "\(vector.reason)")
  }

  @Test func `Every changed character is found`() throws {
    let key = try #require(try Self.valid().first { $0.private })
    let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
    for index in key.key.indices {
      let old = try #require(alphabet.firstIndex(of: key.key[index]))
      var changed = key.key
      changed.replaceSubrange(index...index, with: String(alphabet[(old + 1) % 58]))
      let error = refusalOf(changed, .privateKey)
      // A changed first character may be too large for 82 bytes.
      #expect(error == .extendedKeyChecksum || error == .extendedKeyLength)
    }
  }

  @Test(arguments: [
    ("", WalletFormatError.empty), ("\n", .empty),
    ("xprv0", .invalidCharacter(position: 5)), ("xprvO", .invalidCharacter(position: 5)),
    ("xprvI", .invalidCharacter(position: 5)), ("xprvl", .invalidCharacter(position: 5)),
    ("xprv 9s", .invalidCharacter(position: 5)),
    ("xprv", .extendedKeyLength), ("1", .extendedKeyLength),
    (String(repeating: "z", count: 112), .extendedKeyLength),
    (String(repeating: "1", count: 82), .extendedKeyChecksum),
    (String(repeating: "1", count: 200), .extendedKeyLength),
    (String(repeating: "x", count: 257), .tooLong(limit: 256)),
  ])
  func `Unusable input is refused`(input: String, expected: WalletFormatError) {
    #expect(refusalOf(input, .privateKey) == expected)
  }

  @Test func `A leading one is no second spelling`() throws {
    for vector in try Self.valid() {
      #expect(refusalOf("1" + vector.key, .privateKey) == .extendedKeyLength)
    }
  }

  @Test func `Base58 round trips any bytes`() throws {
    var generator = SeededGenerator(seed: 58)
    for count in 0...90 {
      var payload = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      for index in 0..<min(count, count % 5) { payload[index] = 0 }
      let encoded = secret(payload).withBytes { Base58.encode($0) }
      let decoded = try encoded.withBytes { span throws(Base58Error) in
        try Base58.decode(span, count: count)
      }
      #expect(bytes(decoded) == payload)
    }
  }

  @Test func `Points of the curve are told from others`() throws {
    let curve = try Vectors.decode("bip32/curve.json", as: Curve.self)
    #expect(curve.coordinates.count == 75)
    for point in curve.coordinates {
      let x = secret(hex(point.x))
      #expect(x.withBytes { Secp256k1.isXOnlyPublicKey($0) } == point.onCurve, "\(point.x)")
    }
    for point in curve.uncompressed {
      let key = secret(hex(point.key))
      #expect(key.withBytes { Secp256k1.isUncompressedPublicKey($0) } == point.onCurve)
    }
  }

  @Test(arguments: [
    ("0000000000000000000000000000000000000000000000000000000000000000", false),
    ("0000000000000000000000000000000000000000000000000000000000000001", true),
    ("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140", true),
    ("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", false),
    ("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364142", false),
    ("ffffffffffffffffffffffffffffffff00000000000000000000000000000000", false),
    ("fffffffffffffffffffffffffffffffeffffffffffffffffffffffffffffffff", false),
    ("ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", false),
    ("8000000000000000000000000000000000000000000000000000000000000000", true),
  ])
  func `Private keys are in range`(number: String, expected: Bool) {
    #expect(secret(hex(number)).withBytes { Secp256k1.isPrivateKey($0) } == expected)
  }

  @Test func `Any bytes are judged without crashing`() {
    var generator = SeededGenerator(seed: 32)
    for _ in 0..<2000 {
      let input = (0..<Int.random(in: 0...130, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      #expect(
        refusal { () throws(WalletFormatError) in
          _ = try ExtendedKey(checking: secret(input), expecting: .publicKey)
        } != nil)
    }
  }

  func hex(_ text: String) -> [UInt8] {
    let digits = text.utf8.map { ASCII.hexValue($0) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
