import TestSupport
import Testing

@testable import VirtualKey

@Suite struct CredentialTests {
  private func create(_ host: Host, _ request: CBOR) throws -> [UInt8] {
    try AuthenticatorData(host.succeed(.makeCredential, request)).credentialID
  }

  @Test(arguments: [true, false])
  func `A credential is created and used`(discoverable: Bool) throws {
    let host = try Host()
    let made = try AuthenticatorData(
      host.succeed(
        .makeCredential, Request.credential(discoverable: discoverable, protection: 2)))
    #expect(made.flags == [.userPresent, .attestedCredential, .extensions])
    #expect(
      made.extensions
        == .named([("credProtect", .integer(2)), ("hmac-secret", .boolean(true))]))
    let answer = try host.succeed(.getAssertion, Request.assertion(allow: [made.credentialID]))
    #expect(answer[1]?["id"]?.bytes == made.credentialID)
    #expect(answer[4]?["id"]?.bytes == (discoverable ? [1, 2, 3] : nil))
    #expect(answer[5] == nil)
    let data = try AuthenticatorData(answer)
    #expect(data.flags == .userPresent)
    #expect(data.counter == made.counter + 1)
  }

  /// A pre-flight costs neither touch nor PIN.
  @Test func `A preflight asks for no touch`() throws {
    var configuration = KeyConfiguration()
    let store = KeyStore()
    let id = try create(Host(configuration, store: store), Request.credential())
    configuration.touch = .never
    try store.setPIN("1234")
    let host = try Host(configuration, store: store)
    let answer = try host.succeed(
      .getAssertion, Request.assertion(allow: [[9], id], presence: false))
    #expect(try AuthenticatorData(answer).flags == [])
    #expect(answer[1]?["id"]?.bytes == id)
    let foreign = Request.assertion(allow: [[9], .seeded(66)], presence: false)
    #expect(try host.status(.getAssertion, foreign) == .noCredentials)
    #expect(!host.key.trace.lines.contains("WAITING"))
  }

  @Test func `Binds to the relying party`() throws {
    let host = try Host()
    let id = try create(host, Request.credential())
    let other = Request.assertion(rpID: "other.example", allow: [id])
    #expect(try host.status(.getAssertion, other) == .noCredentials)
    // One changed bit anywhere makes the ID invalid.
    for index in id.indices {
      var changed = id
      changed[index] ^= 1
      let request = Request.assertion(allow: [changed], presence: false)
      #expect(try host.status(.getAssertion, request) == .noCredentials)
    }
  }

  @Test func `An excluded credential is not made twice`() throws {
    let host = try Host()
    let id = try create(host, Request.credential())
    let request = Request.credential(exclude: [[1], id])
    #expect(try host.status(.makeCredential, request) == .credentialExcluded)
    #expect(host.key.trace.lines.suffix(2).first == "TOUCH")
    let elsewhere = Request.credential(rpID: "other.example", exclude: [id])
    #expect(try host.status(.makeCredential, elsewhere) == .success)
  }

  @Test func `Same account is replaced`() throws {
    let host = try Host()
    let first = try create(host, Request.credential(discoverable: true))
    let second = try create(host, Request.credential(discoverable: true))
    let other = try create(host, Request.credential(user: [4], discoverable: true))
    #expect(host.key.store.snapshot.credentials.map(\.id) == [second, other])
    #expect(
      try host.status(.getAssertion, Request.assertion(allow: [first])) == .noCredentials)
  }

  @Test func `Several accounts are all offered`() throws {
    let store = KeyStore()
    try store.setPIN("1234")
    let host = try Host(store: store)
    let platform = try Platform(host)
    for user in UInt8(1)...3 {
      let token = try platform.rightToken("1234", [.makeCredential], rpID: "example.com")
      _ = try create(
        host,
        Request.credential(user: [user], name: "user\(user)", discoverable: true, token: token))
    }
    let token = try platform.rightToken("1234", [.getAssertion], rpID: "example.com")
    let salt = [UInt8].seeded(32)
    let first = try host.succeed(
      .getAssertion,
      Request.assertion(secret: try platform.extensionInput(salt), token: token))
    #expect(first[5] == .integer(3))
    // Newest first, with names for the verified user, and one output each.
    var names = [first[4]?["name"]?.text]
    var outputs = [try AuthenticatorData(first).extensions?["hmac-secret"]]
    for _ in 0..<2 {
      let next = try host.succeed(.getNextAssertion)
      names.append(next[4]?["name"]?.text)
      outputs.append(try AuthenticatorData(next).extensions?["hmac-secret"])
    }
    #expect(names == ["user3", "user2", "user1"])
    #expect(Set(outputs.compactMap { $0?.bytes }).count == 3)
    #expect(try host.status(.getNextAssertion) == .notAllowed)
  }

  @Test func `Names are not for everybody`() throws {
    let host = try Host()
    for user in UInt8(1)...2 {
      _ = try create(host, Request.credential(user: [user], discoverable: true))
    }
    let first = try host.succeed(.getAssertion, Request.assertion())
    #expect(first[4] == .named([("id", .bytes([2]))]))
  }

  /// While the user is not verified, level 2 hides a discoverable credential unless its ID is
  /// known.
  ///
  /// Level 3 always hides it.
  @Test(arguments: [
    (1, CTAPStatus.success, CTAPStatus.success), (2, .noCredentials, .success),
    (3, .noCredentials, .noCredentials),
  ])
  func `Credential protection hides what it should`(
    level: Int, discovered: CTAPStatus, listed: CTAPStatus
  ) throws {
    let host = try Host()
    let id = try create(host, Request.credential(discoverable: true, protection: level))
    #expect(try host.status(.getAssertion, Request.assertion()) == discovered)
    #expect(try host.status(.getAssertion, Request.assertion(allow: [id])) == listed)
    let platform = try Platform(host)
    #expect(try platform.setPIN("1234") == .success)
    let token = try platform.rightToken("1234")
    #expect(try host.status(.getAssertion, Request.assertion(token: token)) == .success)
  }

  @Test func `Making a credential wants the PIN`() throws {
    let store = KeyStore()
    try store.setPIN("1234")
    #expect(
      try Host(store: store).status(.makeCredential, Request.credential()) == .puatRequired)
    var configuration = KeyConfiguration()
    configuration.makeCredentialWithoutVerification = true
    let host = try Host(configuration, store: store)
    #expect(try host.status(.makeCredential, Request.credential()) == .success)
    #expect(
      try host.status(.makeCredential, Request.credential(discoverable: true)) == .puatRequired)
    configuration.alwaysVerify = true
    let strict = try Host(configuration, store: store)
    #expect(try strict.status(.makeCredential, Request.credential()) == .puatRequired)
    #expect(try strict.status(.getAssertion, Request.assertion()) == .puatRequired)
  }

  /// An empty pinUvAuthParam means "touch the key you mean".
  @Test func `A probe for a touch makes nothing`() throws {
    let host = try Host()
    let request = CBOR.fields([(8, .bytes([])), (9, .integer(2))])
    #expect(try host.status(.makeCredential, request) == .pinNotSet)
    try host.key.store.setPIN("1234")
    #expect(try host.status(.makeCredential, request) == .pinInvalid)
    #expect(host.key.trace.lines.filter { $0 == "TOUCH" }.count == 2)
  }

  @Test func `A full key says so`() throws {
    var configuration = KeyConfiguration()
    configuration.discoverableCapacity = 1
    let host = try Host(configuration)
    _ = try create(host, Request.credential(discoverable: true))
    let second = Request.credential(user: [2], discoverable: true)
    #expect(try host.status(.makeCredential, second) == .keyStoreFull)
    #expect(try host.status(.makeCredential, Request.credential()) == .success)
    #expect(try host.status(.makeCredential, Request.credential(discoverable: true)) == .success)
  }

  @Test func `Lists have a limit`() throws {
    let host = try Host()
    let ids = (0..<9).map { [UInt8]([$0]) }
    #expect(try host.status(.getAssertion, Request.assertion(allow: ids)) == .limitExceeded)
    #expect(
      try host.status(.getAssertion, Request.assertion(allow: Array(ids.dropLast())))
        == .noCredentials)
  }

  @Test func `Requests have a limit`() throws {
    var configuration = KeyConfiguration()
    configuration.maximumCredentialIDLength = 66
    configuration.maximumMessageSize = nil
    let host = try Host(configuration)
    #expect(try host.succeed(.getInfo)[5] == nil)
    func status(_ length: Int, count: Int = 1) throws -> CTAPStatus? {
      var generator = SeededGenerator(seed: TestSeed.value)
      let ids = (0..<count).map { _ in generator.bytes(length) }
      return try host.status(.getAssertion, Request.assertion(allow: ids))
    }
    #expect(try status(66) == .noCredentials)
    #expect(try status(67) == .limitExceeded)
    #expect(try status(66, count: 8) == .noCredentials)
    #expect(try status(120, count: 8) == .requestTooLarge)
  }

  /// State that spans several commands ends with another command, or after 30 seconds.
  @Test func `Next assertion follows at once`() throws {
    let host = try Host()
    for user in UInt8(1)...3 {
      _ = try create(host, Request.credential(user: [user], discoverable: true))
    }
    #expect(try host.status(.getNextAssertion) == .notAllowed)
    _ = try host.succeed(.getAssertion, Request.assertion())
    #expect(try host.status(.getNextAssertion) == .success)
    _ = try host.succeed(.getInfo)
    #expect(try host.status(.getNextAssertion) == .notAllowed)
    var configuration = KeyConfiguration()
    configuration.nextAssertionWindowMilliseconds = 0
    let late = try Host(configuration, store: host.key.store)
    _ = try late.succeed(.getAssertion, Request.assertion())
    #expect(try late.status(.getNextAssertion) == .notAllowed)
  }

  @Test func `Unknown algorithms and options are refused`() throws {
    let host = try Host()
    func changed(_ key: Int, _ value: CBOR?) -> CBOR {
      guard case .map(let pairs) = Request.credential() else { return .null }
      return .map(
        pairs.filter { $0.key != .integer(key) }
          + (value.map { [.init(key: .integer(key), value: $0)] } ?? []))
    }
    let rsa = CBOR.array([.named([("alg", .integer(-257)), ("type", .text("public-key"))])])
    #expect(try host.status(.makeCredential, changed(4, rsa)) == .unsupportedAlgorithm)
    #expect(try host.status(.makeCredential, changed(1, nil)) == .missingParameter)
    #expect(try host.status(.makeCredential, changed(1, .bytes([1]))) == .invalidParameter)
    #expect(try host.status(.makeCredential, changed(1, .text("hash"))) == .cborUnexpectedType)
    #expect(try host.status(.makeCredential, changed(5, .integer(1))) == .cborUnexpectedType)
    #expect(try host.status(.makeCredential, changed(10, .integer(1))) == .invalidParameter)
    #expect(
      try host.status(.makeCredential, changed(7, .named([("uv", .boolean(true))])))
        == .invalidOption)
    #expect(
      try host.status(.makeCredential, changed(7, .named([("up", .boolean(false))])))
        == .invalidOption)
  }

  @Test func `Built-in verification stands for the PIN`() throws {
    var configuration = KeyConfiguration()
    configuration.builtInVerification = true
    let host = try Host(configuration)
    #expect(try host.status(.makeCredential, Request.credential()) == .puatRequired)
    guard case .map(let pairs) = Request.credential() else { return }
    let request = CBOR.map(
      pairs.filter { $0.key != .integer(7) }
        + [.init(key: .integer(7), value: .named([("uv", .boolean(true))]))])
    let made = try AuthenticatorData(host.succeed(.makeCredential, request))
    #expect(made.flags.contains(.userVerified))
    // A key that always verifies turns the reader on by itself.
    configuration.alwaysVerify = true
    let strict = try Host(configuration)
    let unasked = try AuthenticatorData(strict.succeed(.makeCredential, Request.credential()))
    #expect(unasked.flags.contains(.userVerified))
    let answer = Request.assertion(allow: [unasked.credentialID])
    #expect(
      try AuthenticatorData(strict.succeed(.getAssertion, answer)).flags
        == [.userPresent, .userVerified])
    let silent = Request.assertion(allow: [unasked.credentialID], presence: false)
    #expect(try AuthenticatorData(strict.succeed(.getAssertion, silent)).flags == [])
    #expect(try strict.succeed(.getInfo)[4]?["makeCredUvNotRqd"] == .boolean(false))
    #expect(host.key.trace.lines.filter { $0 == "TOUCH" }.count == 1)
  }

  @Test func `Garbage is answered with an error`() throws {
    let host = try Host()
    for command in CTAPCommand.allCases where ![.getInfo, .selection, .reset].contains(command) {
      for bytes in [[], [0xFF], [0x80], [0xA0], [0xA1, 0x01, 0x5F], .seeded(40)] as [[UInt8]] {
        host.send(.cbor, [command.rawValue] + bytes)
        let answer = try #require(host.receive())
        #expect(answer.data.count == 1 && answer.data != [0], "\(command) \(bytes)")
      }
    }
    host.send(.cbor, [0x55])
    #expect(host.receive()?.data == [CTAPStatus.invalidCommand.rawValue])
    #expect(try host.status(.getInfo) == .success)
  }

  @Test func `A reset forgets everything`() throws {
    let store = KeyStore()
    var configuration = KeyConfiguration()
    let host = try Host(configuration, store: store)
    let stored = try create(host, Request.credential(discoverable: true))
    let derived = try create(host, Request.credential())
    try store.setPIN("1234")
    configuration.resetWindowMilliseconds = -1
    #expect(try Host(configuration, store: store).status(.reset) == .notAllowed)
    #expect(try host.status(.getAssertion, Request.assertion(allow: [derived])) == .success)
    #expect(try host.status(.reset) == .success)
    for id in [stored, derived] {
      #expect(
        try host.status(.getAssertion, Request.assertion(allow: [id])) == .noCredentials)
    }
    #expect(try host.succeed(.getInfo)[4]?["clientPin"] == .boolean(false))
  }
}
