import TestSupport
import Testing

@testable import PRFDevice

/// Bytes from the device and from sysfs.
@Suite struct ParsingTests {
  private static let rpIDHash = [UInt8](repeating: 0xAB, count: 32)
  private static let aaguid = [UInt8](0..<16)

  private static func data(flags: UInt8, _ rest: [UInt8] = []) -> [UInt8] {
    rpIDHash + [flags, 0, 0, 0, 9] + rest
  }

  /// A credential with an ID of 3 bytes and a stand-in for the public key.
  private static let attested = aaguid + [0, 3, 7, 8, 9] + [0xA1, 0x01, 0x82, 0x02, 0x41, 0xFF]
  /// The map of "hmac-secret": true and "credProtect": 2.
  private static let extensions: [UInt8] =
    [0xA2, 0x6B] + Array("hmac-secret".utf8) + [0xF5, 0x6B] + Array("credProtect".utf8) + [0x02]

  @Test func `Flags are read`() throws {
    let verified = try AuthenticatorData(Self.data(flags: 0x05))
    #expect(verified.rpIDHash == Self.rpIDHash)
    #expect(verified.isUserVerified)
    #expect(verified.isUserPresent)
    #expect(verified.credential == nil)
    #expect(!verified.confirmsPRF)
    #expect(try !AuthenticatorData(Self.data(flags: 0x01)).isUserVerified)
  }

  @Test func `A new credential and its extensions are read`() throws {
    let data = try AuthenticatorData(Self.data(flags: 0xC5, Self.attested + Self.extensions))
    #expect(data.credential?.id == CredentialID([7, 8, 9]))
    #expect(data.credential?.aaguid.bytes == Self.aaguid)
    #expect(data.confirmsPRF)
    #expect(data.protection == 2)
  }

  @Test func `hmac-secret false is no confirmation`() throws {
    let map: [UInt8] = [0xA1, 0x6B] + Array("hmac-secret".utf8) + [0xF4]
    #expect(try !AuthenticatorData(Self.data(flags: 0x81, map)).confirmsPRF)
  }

  @Test func `Every truncation is refused`() throws {
    let whole = Self.data(flags: 0xC5, Self.attested + Self.extensions)
    for count in whole.indices {
      #expect(throws: CBORReader.malformed) { try AuthenticatorData(Array(whole[..<count])) }
    }
  }

  @Test(
    arguments: [
      // A map, an array, a text larger than what is left; 64-bit lengths.
      [0xBB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0xBB, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0xA1, 0x61, 0x61, 0x9A, 0xFF, 0xFF, 0xFF, 0xFF],
      [0xA1, 0x61, 0x61, 0x7B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      // Indefinite lengths, reserved arguments, a key that is no text.
      [0xBF, 0xFF], [0xA1, 0x61, 0x61, 0x5F, 0xFF], [0xBC], [0xA1, 0x01, 0x01],
      // Nested deeper than CTAP allows.
      [0xA1, 0x61, 0x61, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x00],
    ] as [[UInt8]])
  func `Malformed extensions are refused`(map: [UInt8]) {
    #expect(throws: CBORReader.malformed) { try AuthenticatorData(Self.data(flags: 0x81, map)) }
  }

  @Test func `Random bytes never trap`() {
    var generator = SeededGenerator(seed: TestSeed.value)
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...64, using: &generator)
      let rest = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      _ = try? AuthenticatorData(Self.data(flags: 0xC5, Self.aaguid + [0, 1, 1] + rest))
      _ = try? AuthenticatorData(wrapped: rest)
      _ = HIDNode.usagePage(rest)
    }
  }

  @Test(
    arguments: [
      // A FIDO key, a keyboard, a vendor page of one byte, a long item first.
      ([0x06, 0xD0, 0xF1, 0x09, 0x01, 0xA1, 0x01], 0xF1D0), ([0x05, 0x01, 0x09, 0x06], 0x01),
      ([0xFE, 0x02, 0x10, 0x00, 0x00, 0x06, 0xD0, 0xF1], 0xF1D0),
      ([0x07, 0xD0, 0xF1, 0x00, 0x00], 0xF1D0), ([0x09, 0x01], nil), ([], nil),
      ([0x06, 0xD0], nil), ([0xFE], nil),
    ] as [([UInt8], UInt32?)])
  func `The usage page is found in a report descriptor`(descriptor: [UInt8], page: UInt32?) {
    #expect(HIDNode.usagePage(descriptor) == page)
  }
}
