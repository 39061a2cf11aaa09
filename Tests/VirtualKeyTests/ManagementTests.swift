import Testing

@testable import VirtualKey

@Suite struct ManagementTests {
  private let host: Host
  private let platform: Platform

  init() throws {
    host = try Host()
    for (rpID, user) in [("one.example", 1), ("two.example", 2), ("one.example", 3)] {
      _ = try host.succeed(
        .makeCredential,
        Request.credential(rpID: rpID, user: [UInt8(user)], discoverable: true))
    }
    platform = try Platform(host)
    #expect(try platform.setPIN("1234") == .success)
  }

  private func request(
    _ number: UInt8, _ parameters: CBOR? = nil, _ token: Platform.Token
  ) -> CBOR {
    .fields([
      (1, .integer(Int(number))), (2, parameters), (3, .integer(token.number)),
      (4, token.authenticate([number] + (parameters?.encoded ?? []))),
    ])
  }

  private func token(rpID: String? = nil) throws -> Platform.Token {
    try platform.rightToken("1234", [.credentialManagement], rpID: rpID)
  }

  @Test(arguments: [CTAPCommand.credentialManagement, .credentialManagementPreview])
  func `Every credential is listed`(command: CTAPCommand) throws {
    let token = try token()
    let metadata = try host.succeed(command, request(1, nil, token))
    #expect(metadata == .fields([(1, .integer(3)), (2, .integer(22))]))
    var party = try host.succeed(command, request(2, nil, token))
    #expect(party[5] == .integer(2))
    var found: [String: [UInt8]] = [:]
    for index in 0..<2 {
      if index > 0 { party = try host.succeed(command, .fields([(1, .integer(3))])) }
      found[party[3]?["id"]?.text ?? ""] = party[4]?.bytes
    }
    #expect(try host.status(command, .fields([(1, .integer(3))])) == .notAllowed)
    #expect(Set(found.keys) == ["one.example", "two.example"])
    let hash = CBOR.fields([(1, .bytes(found["one.example"] ?? []))])
    let first = try host.succeed(command, request(4, hash, token))
    #expect(first[9] == .integer(2))
    #expect(first[6]?["id"] == .bytes([1]))
    let second = try host.succeed(command, .fields([(1, .integer(5))]))
    #expect(second[6]?["id"] == .bytes([3]))
    #expect(second[10] == .integer(1))
  }

  @Test func `Credentials are renamed and deleted`() throws {
    let token = try token()
    let stored = host.key.store.snapshot.credentials
    func named(_ id: [UInt8]) -> CBOR {
      .named([("id", .bytes(id)), ("type", .text("public-key"))])
    }
    let rename = CBOR.fields([
      (2, named(stored[0].id)),
      (3, .named([("id", .bytes([1])), ("name", .text("carol"))])),
    ])
    #expect(try host.status(.credentialManagement, request(7, rename, token)) == .success)
    #expect(host.key.store.snapshot.credentials[0].userName == "carol")
    let otherUser = CBOR.fields([
      (2, named(stored[0].id)),
      (3, .named([("id", .bytes([9])), ("name", .text("mallory"))])),
    ])
    #expect(
      try host.status(.credentialManagement, request(7, otherUser, token)) == .invalidParameter)
    #expect(host.key.store.snapshot.credentials[0].userName == "carol")
    let delete = CBOR.fields([(2, named(stored[0].id))])
    #expect(try host.status(.credentialManagement, request(6, delete, token)) == .success)
    #expect(
      try host.status(.credentialManagement, request(6, delete, token)) == .noCredentials)
    #expect(host.key.store.snapshot.credentials.map(\.id) == stored.dropFirst().map(\.id))
    let gone = Request.assertion(rpID: "one.example", allow: [stored[0].id])
    #expect(try host.status(.getAssertion, gone) == .noCredentials)
  }

  @Test func `Managing credentials needs the permission`() throws {
    let other = try platform.rightToken("1234", [.getAssertion], rpID: "one.example")
    #expect(
      try host.status(.credentialManagement, request(1, nil, other)) == .pinAuthInvalid)
    let bound = try token(rpID: "one.example")
    #expect(
      try host.status(.credentialManagement, request(1, nil, bound)) == .pinAuthInvalid)
    #expect(
      try host.status(.credentialManagement, .fields([(1, .integer(1))])) == .puatRequired)
  }

  /// A token for one relying party manages the credentials of that one only.
  @Test func `A token for one relying party manages no other's credentials`() throws {
    let stored = host.key.store.snapshot.credentials
    func hash(_ index: Int) -> CBOR { .fields([(1, .bytes(stored[index].rpIDHash))]) }
    func named(_ id: [UInt8]) -> CBOR {
      .fields([(2, .named([("id", .bytes(id)), ("type", .text("public-key"))]))])
    }
    let one = try token(rpID: "one.example")
    func status(_ number: UInt8, _ parameters: CBOR?) throws -> CTAPStatus? {
      try host.status(.credentialManagement, request(number, parameters, one))
    }
    #expect(try status(2, nil) == .pinAuthInvalid)
    #expect(try status(2, hash(0)) == .pinAuthInvalid)
    #expect(try status(4, hash(0)) == .success)
    #expect(try status(4, hash(1)) == .pinAuthInvalid)
    #expect(try status(6, named(stored[1].id)) == .pinAuthInvalid)
    #expect(try status(6, named([1])) == .noCredentials)
    #expect(try status(6, named(stored[0].id)) == .success)
  }

  @Test func `Another command ends an enumeration`() throws {
    let next = CBOR.fields([(1, .integer(3))])
    _ = try host.succeed(.credentialManagement, request(2, nil, try token()))
    _ = try host.succeed(.getInfo)
    #expect(try host.status(.credentialManagement, next) == .notAllowed)
    _ = try host.succeed(.credentialManagement, request(2, nil, try token()))
    #expect(try host.status(.credentialManagement, next) == .success)
  }

  @Test func `Key without the preview`() throws {
    var configuration = KeyConfiguration()
    configuration.credentialManagementPreview = false
    let host = try Host(configuration)
    let begin = CBOR.fields([(1, .integer(1))])
    #expect(try host.status(.credentialManagementPreview, begin) == .invalidCommand)
    #expect(try host.status(.credentialManagement, begin) == .puatRequired)
    #expect(try host.succeed(.getInfo)[4]?["credentialMgmtPreview"] == nil)
    #expect(try host.succeed(.getInfo)[4]?["credMgmt"] == .boolean(true))
  }

  @Test func `A key without credential management says so`() throws {
    var configuration = KeyConfiguration()
    configuration.credentialManagement = false
    let host = try Host(configuration)
    #expect(
      try host.status(.credentialManagementPreview, .fields([(1, .integer(1))]))
        == .invalidCommand)
    #expect(try host.succeed(.getInfo)[4]?["credMgmt"] == nil)
  }
}
