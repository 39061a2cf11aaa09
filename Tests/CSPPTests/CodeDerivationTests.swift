import Foundation
import SecretMemory
import Testing

@testable import CSPP

@Suite("From a recovery code to a way's secret")
struct CodeDerivationTests {
  private static let keyID = KeyID(words: [1, 2])
  private static let code = "01AB-CDEF-GHJK-MNPQ-RSVW-W"
  private static let salt = [UInt8](repeating: 0x53, count: 16)

  private static func derivation(
    _ second: KeyHeader.SecondSecret? = nil, memoryKiB: Int = 8, passes: Int = 1
  ) throws -> KeyHeader.CodeDerivation {
    try KeyHeader.CodeDerivation(
      salt: salt, cost: Argon2id.Parameters(memoryKiB: memoryKiB, passes: passes),
      secondSecret: second)
  }

  private static func header(_ kind: KeyHeader.Kind) throws -> KeyHeader {
    KeyHeader(
      namespaceID: try Sample.namespaceID(), keyID: keyID, kind: kind, label: "safe",
      createdAt: 1_800_000_000)
  }

  @Test(
    arguments: [
      nil, KeyHeader.SecondSecret.file, .keyring,
      .securityKey(rpID: "keybackup:", credentialID: [1, 2, 3], prfSalt: Sample.prfSalt),
    ])
  func `What is sealed is listed without a code and opens with it`(second: KeyHeader.SecondSecret?)
    throws
  {
    let derivation = try Self.derivation(second)
    let header = try Self.header(.recoveryCode(derivation))
    let code = try RecoveryCode(parsing: secret(text: Self.code))
    let derived = try derivation.derive(code)
    let file = try KeyWrapper.seal(Sample.masterKey(), secret: derived, header: header)
    let wrapper = try KeyWrapper(parsing: file.span, at: Sample.namespaceID())
    #expect(wrapper.header == header)
    #expect(try wrapper.open(secret: derived).namespaceID == Sample.namespaceID())
    let other = try RecoveryCode(parsing: secret(text: String(repeating: "0", count: 21)))
    let wrong = try derivation.derive(other)
    #expect(
      refusal { () throws(CSPPError) in _ = try wrapper.open(secret: wrong) }
        == .authenticationFailed)
  }

  @Test
  func `Python's cryptography derives the same at the standard cost`() throws {
    let code = try RecoveryCode(parsing: secret(text: Self.code))
    let derivation = try KeyHeader.CodeDerivation(
      salt: Self.salt, cost: KeyHeader.CodeDerivation.standardCost)
    #expect(
      try derivation.derive(code).revealed
        == bytes(hex: "0a1be5381941953730c0b0ad58b1e09106032ce2e6d1c42862e62d6fa9b08a23"))
  }

  @Test
  func `Every part of a second secret counts, and the way in too`() throws {
    let code = try RecoveryCode(parsing: secret(text: Self.code))
    let derived = try Self.derivation().derive(code)
    func mixed(_ second: [UInt8], _ key: KeyID = Self.keyID) -> [UInt8] {
      KeyHeader.CodeDerivation.mix(derived, with: secret(second), keyID: key).revealed
    }
    let all = [
      mixed([]), mixed([0]), mixed([1]), mixed([0, 0]), mixed([], KeyID(words: [1, 3])),
      derived.revealed,
    ]
    #expect(Set(all).count == all.count)
    #expect(all.allSatisfy { $0.count == 32 })
  }

  /// Parses a file with the caller's header.
  private func parse(_ changes: [String: String?]) throws -> (KeyHeader.Kind?, CSPPError?) {
    let header = String(
      decoding: Sample.file(
        [
          ("namespace_id", "\"\(try Sample.namespaceID())\""), ("key_id", "\"\(Self.keyID)\""),
          ("kind", "\"recovery_code\""), ("label", "\"l\""), ("created_at", "1"),
          ("recipient", "\"\(String(repeating: "00", count: 32))\""), ("kdf", "\"argon2id\""),
          ("kdf_salt", "\"\(String(repeating: "53", count: 16))\""), ("kdf_memory_kib", "65536"),
          ("kdf_passes", "3"), ("kdf_lanes", "1"),
        ], changes), as: UTF8.self)
    let file = try Sample.protected(
      format: "keybackup-key", header: header, body: String(repeating: "x", count: 32),
      key: secret(Sample.prfOutput))
    var kind: KeyHeader.Kind?
    let error = refusal { () throws(CSPPError) in
      kind = try KeyWrapper(parsing: file.span, at: nil).header.kind
    }
    return (kind, error)
  }

  @Test
  func `An unknown derivation or second secret is listed and skipped`() throws {
    #expect(try parse([:]).0 == .recoveryCode(Self.derivation(memoryKiB: 65_536, passes: 3)))
    for changes: [String: String?] in [
      ["kdf": "\"scrypt\""], ["kdf": "7"], ["kdf_lanes": "4"], ["second_secret": "\"moon\""],
    ] {
      #expect(try parse(changes).0 == .unknown("recovery_code"))
    }
  }

  @Test(
    arguments: [
      ("kdf_memory_kib", "524289"), ("kdf_memory_kib", "7"), ("kdf_memory_kib", "0"),
      ("kdf_memory_kib", "18446744073709551615"), ("kdf_passes", "65"), ("kdf_passes", "0"),
      ("kdf_passes", "18446744073709551615"), ("kdf_salt", "\"00\""), ("kdf_salt", "5"),
      ("kdf_lanes", "\"1\""),
    ])
  func `What a file asks for is bounded before anything is derived`(field: String, value: String)
    throws
  {
    #expect(try parse([field: value]).1 == .invalidField(field))
    #expect(try parse([field: nil]).1 == .missingField(field))
  }

  @Test
  func `Memory and passes are bounded together: 4 GiB of work`() throws {
    #expect(try parse(["kdf_memory_kib": "524288", "kdf_passes": "8"]).1 == nil)
    #expect(
      try parse(["kdf_memory_kib": "524288", "kdf_passes": "9"]).1 == .invalidField("kdf_passes"))
    #expect(throws: CSPPError.invalidField("kdf_memory_kib")) {
      _ = try Self.derivation(memoryKiB: 524_289)
    }
  }

  @Test
  func `What a new kit costs is what docs/performance.md measured`() throws {
    let cost = try KeyHeader.CodeDerivation.standardCost
    #expect(cost.memoryKiB == 65_536 && cost.passes == 3)
  }
}
