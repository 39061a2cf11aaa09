import FoundationEssentials
import TestSupport
import Testing

@testable import VirtualKey

@Suite struct ClientPINTests {
  @Test(arguments: [1, 2])
  func `A PIN is set and changed`(number: Int) throws {
    let host = try Host()
    let platform = try Platform(host, protocolNumber: number)
    #expect(try platform.token("1234").status == .pinNotSet)
    #expect(try platform.setPIN("1234") == .success)
    #expect(try host.succeed(.getInfo)[4]?["clientPin"] == .boolean(true))
    #expect(try platform.setPIN("5678") == .pinAuthInvalid)
    #expect(try platform.changePIN("1234", to: "5678") == .success)
    #expect(try platform.token("5678").status == .success)
    #expect(try platform.token("1234").status == .pinInvalid)
  }

  /// CTAP 2.1 section 6.5.5.5: 4 code points to 63 bytes.
  @Test(arguments: [
    ("123", CTAPStatus.pinPolicyViolation), ("1234", .success),
    ("\u{e9}\u{e9}\u{e9}", .pinPolicyViolation), ("\u{1F511}\u{1F511}\u{1F511}\u{1F511}", .success),
    (String(repeating: "x", count: 63), .success),
    (String(repeating: "x", count: 64), .pinPolicyViolation),
  ])
  func `A PIN is as long as the policy says`(pin: String, expected: CTAPStatus) throws {
    #expect(try Platform(Host()).setPIN(pin) == expected)
  }

  /// A zero byte within a PIN is no padding.
  @Test func `Zero within the PIN`() throws {
    let host = try Host()
    #expect(try Platform(host).setPIN("12\u{0}456") == .success)
    #expect(try Platform(host).token("12").status == .pinInvalid)
    #expect(try Platform(host).token("12\u{0}456").status == .success)
  }

  /// forcePINChange: the right PIN costs no retry and gives no token.
  @Test func `PIN must be changed`() throws {
    let host = try Host()
    let store = host.key.store
    #expect(try Platform(host).setPIN("1234") == .success)
    #expect(try host.succeed(.getInfo)[0x0C] == .boolean(false))
    try store.requirePINChange()
    #expect(try host.succeed(.getInfo)[0x0C] == .boolean(true))
    #expect(try Platform(host).token("1234").status == .pinInvalid)
    #expect(
      try Platform(host).token("1234", [.credentialManagement]).status == .pinInvalid)
    #expect(store.snapshot.pinRetries == 8)
    #expect(try Platform(host).changePIN("1234", to: "1234") == .pinPolicyViolation)
    #expect(try Platform(host).changePIN("1234", to: "5678") == .success)
    #expect(try Platform(host).token("5678").status == .success)
    #expect(try host.succeed(.getInfo)[0x0C] == .boolean(false))
  }

  /// The retry is counted, and stored on disk, before the PIN is checked.
  @Test func `Retry is taken first`() throws {
    let folder = "/tmp/virtual-key-\([UInt8].random(8).hexadecimal)"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false)
    let path = folder + "/state.json"
    let store = try KeyStore(path: path)
    try store.setPIN("1234")
    let host = try Host(store: store)
    let platform = try Platform(host)
    // Nothing can be written any more, so not even the right PIN is accepted.
    try FileManager.default.removeItem(atPath: folder)
    #expect(try platform.token("1234").status == .other)
    #expect(!host.key.trace.lines.contains { $0.contains("TOUCH") })
  }

  /// Three wrong PINs in a row require a power cycle, eight a reset.
  @Test(arguments: [1, 2])
  func `Wrong PINs lock the key`(number: Int) throws {
    let store = KeyStore()
    try store.setPIN("1234")
    var seen: [CTAPStatus?] = []
    for _ in 0..<3 {
      let host = try Host(store: store)
      for _ in 0..<3 {
        seen.append(try Platform(host, protocolNumber: number).token("9999").status)
      }
      // Blocked: not even the right PIN is accepted, and no retry is spent.
      let before = store.snapshot.pinRetries
      let status = try Platform(host, protocolNumber: number).token("1234").status
      #expect(status == (before > 0 ? .pinAuthBlocked : .pinBlocked))
      #expect(store.snapshot.pinRetries == before)
    }
    #expect(
      seen == [
        .pinInvalid, .pinInvalid, .pinAuthBlocked, .pinInvalid, .pinInvalid, .pinAuthBlocked,
        .pinInvalid, .pinBlocked, .pinBlocked,
      ])
    #expect(store.snapshot.pinRetries == 0)
    let host = try Host(store: store)
    #expect(try host.status(.reset) == .success)
    #expect(try Platform(host, protocolNumber: number).setPIN("1234") == .success)
  }

  @Test func `Right PIN gives retries back`() throws {
    let host = try Host()
    #expect(try Platform(host).setPIN("1234") == .success)
    func retries() throws -> CBOR? {
      try host.succeed(.clientPIN, .fields([(1, .integer(2)), (2, .integer(1))]))[3]
    }
    #expect(try Platform(host).token("4321").status == .pinInvalid)
    #expect(try Platform(host).token("4321").status == .pinInvalid)
    #expect(try retries() == .integer(6))
    #expect(try Platform(host).token("1234").status == .success)
    #expect(try retries() == .integer(8))
    #expect(try Platform(host).token("4321").status == .pinInvalid)
  }

  /// A wrong PIN ends the key agreement: a second guess needs a new one.
  @Test func `Wrong PIN ends the agreement`() throws {
    let host = try Host()
    let platform = try Platform(host)
    #expect(try platform.setPIN("1234") == .success)
    #expect(try platform.token("4321").status == .pinInvalid)
    #expect(try platform.token("1234").status == .pinInvalid)
    #expect(try Platform(host).token("1234").status == .success)
  }

  @Test func `A token does what it has permission for`() throws {
    let host = try Host()
    let platform = try Platform(host)
    #expect(try platform.setPIN("1234") == .success)
    #expect(try platform.token("1234", []).status == .invalidParameter)
    #expect(try platform.token("1234", [.configuration]).status == .unauthorizedPermission)
    // A permission that is bound to a relying party has to name it.
    #expect(try platform.token("1234", [.getAssertion]).status == .missingParameter)
    #expect(try platform.token("1234", [.makeCredential]).status == .missingParameter)
    #expect(try platform.token("1234", [.credentialManagement]).status == .success)

    // A token is valid for its permissions, at its relying party.
    let read = try platform.rightToken("1234", [.getAssertion], rpID: "example.com")
    #expect(try host.status(.makeCredential, Request.credential(token: read)) == .pinAuthInvalid)
    let other = try platform.rightToken("1234", [.makeCredential], rpID: "other.example")
    #expect(try host.status(.makeCredential, Request.credential(token: other)) == .pinAuthInvalid)
    let token = try platform.rightToken("1234", [.makeCredential], rpID: "example.com")
    #expect(try host.status(.makeCredential, Request.credential(token: token)) == .success)
    // ... and once.
    #expect(try host.status(.makeCredential, Request.credential(token: token)) == .pinAuthInvalid)
    // A new token ends the old one.
    let old = try platform.rightToken("1234")
    _ = try platform.rightToken("1234")
    #expect(try host.status(.makeCredential, Request.credential(token: old)) == .pinAuthInvalid)
  }

  /// Without a relying party, a token belongs to the first one with which it is used.
  @Test func `Token binds to its first relying party`() throws {
    let store = KeyStore()
    try store.setPIN("1234")
    let host = try Host(store: store)
    let token = try Platform(host).rightToken("1234")
    let first = Request.assertion(rpID: "one.example", presence: false, token: token)
    #expect(try host.status(.getAssertion, first) == .noCredentials)
    let second = Request.assertion(rpID: "two.example", presence: false, token: token)
    #expect(try host.status(.getAssertion, second) == .pinAuthInvalid)
  }

  @Test func `Older keys have no permissions`() throws {
    var configuration = KeyConfiguration()
    configuration.pinUvAuthToken = false
    let store = KeyStore()
    try store.setPIN("1234")
    let platform = try Platform(Host(configuration, store: store))
    #expect(try platform.token("1234", [.getAssertion]).status == .invalidParameter)
    #expect(try platform.token("1234").status == .success)
  }

  @Test func `Unknown protocol and missing parameters`() throws {
    var configuration = KeyConfiguration()
    configuration.pinProtocols = [2]
    let host = try Host(configuration)
    func status(_ fields: [(Int, CBOR?)]) throws -> CTAPStatus? {
      try host.status(.clientPIN, .fields(fields))
    }
    #expect(try status([(1, .integer(1)), (2, .integer(2))]) == .invalidParameter)
    #expect(try status([(1, .integer(2))]) == .missingParameter)
    #expect(try status([(2, .integer(2))]) == .missingParameter)
    #expect(try status([(1, .integer(2)), (2, .integer(99))]) == .invalidParameter)
    #expect(try status([(1, .integer(2)), (2, .integer(3))]) == .missingParameter)
  }

  @Test func `Point not on the curve`() throws {
    let host = try Host()
    let bad = CBOR.fields([
      (1, .integer(2)), (3, .integer(-25)), (-1, .integer(1)),
      (-2, .bytes(.init(repeating: 1, count: 32))), (-3, .bytes(.init(repeating: 1, count: 32))),
    ])
    let request = CBOR.fields([
      (1, .integer(2)), (2, .integer(3)), (3, bad), (4, .bytes(.seeded(32))),
      (5, .bytes(.seeded(80))),
    ])
    #expect(try host.status(.clientPIN, request) == .invalidParameter)
  }
}
