import TestSupport
import Testing

@testable import VirtualKey

@Suite struct CBORTests {
  /// RFC 8949 appendix A, those that CTAP allows.
  static let examples: [(String, CBOR)] = [
    ("00", .integer(0)), ("17", .integer(23)), ("1818", .integer(24)), ("18ff", .integer(255)),
    ("190100", .integer(256)), ("1903e8", .integer(1000)), ("1a000f4240", .integer(1_000_000)),
    ("1b000000e8d4a51000", .integer(1_000_000_000_000)), ("20", .integer(-1)),
    ("3863", .integer(-100)), ("3903e7", .integer(-1000)), ("f4", .boolean(false)),
    ("f5", .boolean(true)), ("f6", .null), ("40", .bytes([])),
    ("4401020304", .bytes([1, 2, 3, 4])),
    ("60", .text("")), ("62c3bc", .text("\u{fc}")), ("6449455446", .text("IETF")),
    ("80", .array([])), ("83010203", .array([.integer(1), .integer(2), .integer(3)])),
    ("a0", .map([])),
    ("a201020304", .fields([(1, .integer(2)), (3, .integer(4))])),
    (
      "a26161016162820203",
      .named([("a", .integer(1)), ("b", .array([.integer(2), .integer(3)]))])
    ),
  ]

  @Test(arguments: examples)
  func `RFC 8949's examples are read and written`(hexadecimal: String, value: CBOR) throws {
    let bytes = try #require([UInt8](hexadecimal: hexadecimal))
    #expect(try CBOR(decoding: bytes) == value)
    #expect(value.encoded == bytes)
  }

  /// CTAP 2.1 section 8: by major type, then length, then bytes.
  @Test func `Map keys are sorted`() {
    let map = CBOR.map([
      .init(key: .text("aa"), value: .null), .init(key: .text("b"), value: .null),
      .init(key: .integer(-1), value: .null), .init(key: .integer(100), value: .null),
      .init(key: .integer(3), value: .null),
    ])
    #expect(map.encoded.hexadecimal == "a503f61864f620f66162f6626161f6")
  }

  @Test(
    arguments: [
      "", "18", "1817", "190017", "1a00000100", "41", "4201", "61", "61ff", "81", "a1", "a101",
      "5f4101ff", "9fff", "bfff", "c000", "f7", "f93c00", "fb3ff199999999999a", "ff", "0000",
      "a201f601f6", "8181818181f6", "5affffffff", "9affffffff", "bb7fffffffffffffff",
      "1bffffffffffffffff", "5bffffffffffffffff", "1c", "3f",
    ])
  func `Wrong CBOR is refused`(hexadecimal: String) throws {
    let bytes = try #require([UInt8](hexadecimal: hexadecimal))
    #expect(throws: CBOR.DecodingError.self) { try CBOR(decoding: bytes) }
  }

  /// Random bytes never crash the decoder, and a value that it accepts can be encoded again.
  @Test func `Random bytes do no harm`() {
    var generator = SeededGenerator(seed: TestSeed.value)
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...24, using: &generator)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      guard let value = try? CBOR(decoding: bytes) else { continue }
      #expect((try? CBOR(decoding: value.encoded)) != nil)
    }
  }

  @Test func `Raw values are kept as they were`() throws {
    let bytes: [UInt8] = [0xA2, 0x02, 0xA2, 0x03, 0x01, 0x01, 0x02, 0x01, 0x04]
    let (map, raw) = try CBOR.mapWithRawValues(decoding: bytes)
    #expect(map[1]?.integer == 4)
    // As sent, not as it would be encoded.
    #expect(raw[2] == [0xA2, 0x03, 0x01, 0x01, 0x02])
  }
}
