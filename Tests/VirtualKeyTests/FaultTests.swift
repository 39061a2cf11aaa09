import Testing

@testable import VirtualKey

@Suite struct FaultTests {
  private func host(_ faults: String...) throws -> Host {
    var configuration = KeyConfiguration()
    configuration.faults = try faults.map { try #require(Fault($0)) }
    return try Host(configuration)
  }

  private func output(_ host: Host) throws -> [UInt8]? {
    let platform = try Platform(host)
    let input = try platform.extensionInput(.init(repeating: 5, count: 32))
    let answer = try host.succeed(.getAssertion, Request.assertion(secret: input))
    let sealed = try AuthenticatorData(answer).extensions?["hmac-secret"]?.bytes
    return try sealed.map { try platform.secret.decrypt($0) }
  }

  private func enrolled(_ faults: String...) throws -> Host {
    var configuration = KeyConfiguration()
    configuration.faults = try faults.map { try #require(Fault($0)) }
    let host = try Host(configuration)
    _ = try host.succeed(.makeCredential, Request.credential(discoverable: true))
    return host
  }

  @Test func `Faults of hmac-secret show in its output`() throws {
    let good = try enrolled()
    #expect(try output(good)?.count == 32)
    #expect(try output(good) == output(good))
    let missing = try enrolled("hmac-secret-missing")
    #expect(try missing.succeed(.getInfo)[2]?.array?.contains(.text("hmac-secret")) == true)
    #expect(try output(missing) == nil)
    #expect(try output(enrolled("hmac-secret-length=16"))?.count == 16)
    #expect(try output(enrolled("hmac-secret-length=64"))?.count == 64)
    let unstable = try enrolled("hmac-secret-unstable")
    #expect(try output(unstable) != output(unstable))
  }

  @Test func `The verification flag can be left out`() throws {
    var configuration = KeyConfiguration()
    configuration.faults = [try #require(Fault("uv-flag-missing"))]
    let store = KeyStore()
    try store.setPIN("1234")
    let host = try Host(configuration, store: store)
    let token = try Platform(host).rightToken("1234")
    let made = try host.succeed(.makeCredential, Request.credential(token: token))
    #expect(try !AuthenticatorData(made).flags.contains(.userVerified))
  }

  @Test func `Storage can be full or lost`() throws {
    let host = try host("storage-full")
    #expect(
      try host.status(.makeCredential, Request.credential(discoverable: true)) == .keyStoreFull)
    #expect(try host.status(.makeCredential, Request.credential()) == .success)
  }

  @Test func `Errors come when they are told to`() throws {
    let host = try host("error:getInfo=0x7F@2", "error:0x02=46")
    #expect(try host.status(.getInfo) == .success)
    #expect(try host.status(.getInfo) == .other)
    #expect(try host.status(.getInfo) == .success)
    #expect(try host.status(.getAssertion) == .noCredentials)
  }

  @Test func `Silence and garbage come when they are told to`() throws {
    let host = try host("silent:getInfo@1", "garbage:getInfo@2")
    host.send(.cbor, [CTAPCommand.getInfo.rawValue])
    #expect(host.receive(timeoutMilliseconds: 100) == nil)
    host.send(.cbor, [CTAPCommand.getInfo.rawValue])
    let answer = try #require(host.receive())
    #expect(throws: CBOR.DecodingError.self) {
      try CBOR(decoding: Array(answer.data.dropFirst()))
    }
    #expect(try host.status(.getInfo) == .success)
  }

  @Test(arguments: ["unplug-on-touch", "unplug:makeCredential"])
  func `A key that is unplugged has signed nothing`(fault: String) throws {
    let host = try host(fault)
    host.send(.cbor, [CTAPCommand.makeCredential.rawValue] + Request.credential().encoded)
    #expect(host.receive() == nil)
    try host.waitFor("UNPLUGGED")
    #expect(host.key.store.snapshot.signatureCount == 0)
  }

  @Test(arguments: [
    "", "hmac-secret", "hmac-secret-length=x", "hmac-secret-length=-16", "hmac-secret-length=7",
    "error:getInfo", "error:getInfo=256", "error:nothing=1", "silent:", "silent:0x99",
    "silent:getInfo@0", "silent:getInfo@x", "explode:getInfo",
  ])
  func `A fault that is not understood is refused`(text: String) { #expect(Fault(text) == nil) }
}
