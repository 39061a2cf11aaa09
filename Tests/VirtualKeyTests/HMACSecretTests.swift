import FoundationEssentials
import TestSupport
import Testing

@testable import VirtualKey

@Suite struct HMACSecretTests {
  private struct Vectors: Decodable {
    struct Case: Decodable, Sendable {
      let credRandomWithUV: String?
      let salt: String
      let output: String?

      private enum CodingKeys: String, CodingKey {
        case credRandomWithUV = "cred_random_with_uv"
        case salt = "hmac_secret_salt"
        case output = "prf_output"
      }
    }
    let cases: [Case]
  }

  static let vectors = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../Vectors/cspp/prf.json")

  /// A key that holds the published credential gives the published outputs.
  @Test(arguments: [1, 2])
  func `Published outputs come out of the published credential`(number: Int) throws {
    let vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: Self.vectors))
    var checked = 0
    for vector in vectors.cases {
      guard let secret = vector.credRandomWithUV, let expected = vector.output else {
        continue
      }
      let description = #"{"rp_id": "example.com", "cred_random_with_uv": "\#(secret)"}"#
      let imported = try JSONDecoder().decode(
        ImportedCredential.self, from: Data(description.utf8))
      let store = KeyStore()
      try store.setPIN("1234")
      try store.add(imported)
      let salt = try #require([UInt8](hexadecimal: vector.salt))
      let outputs = try evaluate(Host(store: store), number, salt, pin: "1234")
      #expect(outputs.hexadecimal == expected)
      #expect(try evaluate(Host(store: store), number, salt, pin: nil) != outputs)
      checked += 1
    }
    #expect(checked == 5)
  }

  private func evaluate(
    _ host: Host, _ number: Int, _ salts: [UInt8], pin: String?, allow: [[UInt8]] = []
  ) throws -> [UInt8] {
    let platform = try Platform(host, protocolNumber: number)
    let token = try pin.map {
      try platform.rightToken($0, [.getAssertion], rpID: "example.com")
    }
    let answer = try host.succeed(
      .getAssertion,
      Request.assertion(
        allow: allow, secret: try platform.extensionInput(salts), token: token))
    let sealed = try AuthenticatorData(answer).extensions?["hmac-secret"]?.bytes
    return try platform.secret.decrypt(try #require(sealed))
  }

  @Test(arguments: [1, 2], [true, false])
  func `The outputs of two salts are independent`(number: Int, discoverable: Bool) throws {
    let host = try Host()
    let made = try AuthenticatorData(
      host.succeed(.makeCredential, Request.credential(discoverable: discoverable)))
    let allow = [made.credentialID]
    let (one, two) = ([UInt8].seeded(32), [UInt8].seeded(32))
    let both = try evaluate(host, number, one + two, pin: nil, allow: allow)
    #expect(try evaluate(host, number, one, pin: nil, allow: allow) == Array(both.prefix(32)))
    #expect(try evaluate(host, number, two, pin: nil, allow: allow) == Array(both.suffix(32)))
  }

  /// Protocol 2 has a fresh IV each time; protocol 1 has none.
  @Test(arguments: [1, 2])
  func `Outputs are sealed afresh`(number: Int) throws {
    let host = try Host()
    _ = try host.succeed(.makeCredential, Request.credential(discoverable: true))
    let platform = try Platform(host, protocolNumber: number)
    let input = try platform.extensionInput(.init(repeating: 3, count: 64))
    func sealed() throws -> [UInt8]? {
      let answer = try host.succeed(.getAssertion, Request.assertion(secret: input))
      return try AuthenticatorData(answer).extensions?["hmac-secret"]?.bytes
    }
    let (one, two) = (try #require(try sealed()), try #require(try sealed()))
    #expect(one.count == (number == 1 ? 64 : 80))
    #expect((one == two) == (number == 1))
    #expect(try platform.secret.decrypt(one) == platform.secret.decrypt(two))
  }

  @Test(arguments: [0, 16, 48, 80, 96])
  func `Salts of another length`(length: Int) throws {
    let host = try Host()
    _ = try host.succeed(.makeCredential, Request.credential(discoverable: true))
    let platform = try Platform(host)
    let request = Request.assertion(secret: try platform.extensionInput(.seeded(length)))
    #expect(try host.status(.getAssertion, request) == .invalidLength)
  }

  @Test func `Salts with a wrong authentication are refused`() throws {
    let host = try Host()
    _ = try host.succeed(.makeCredential, Request.credential(discoverable: true))
    let platform = try Platform(host)
    guard case .map(let pairs) = try platform.extensionInput(.seeded(32)) else { return }
    let changed = CBOR.map(
      pairs.filter { $0.key != .integer(3) }
        + [.init(key: .integer(3), value: .bytes(.seeded(32)))])
    #expect(
      try host.status(.getAssertion, Request.assertion(secret: changed)) == .pinAuthInvalid)
    let input = try platform.extensionInput(.seeded(32))
    #expect(
      try host.status(.getAssertion, Request.assertion(presence: false, secret: input))
        == .unsupportedOption)
  }

  @Test func `Credential without the extension`() throws {
    let host = try Host()
    _ = try host.succeed(
      .makeCredential, Request.credential(discoverable: true, hmacSecret: false))
    let input = try Platform(host).extensionInput(.seeded(32))
    let answer = try host.succeed(.getAssertion, Request.assertion(secret: input))
    #expect(try AuthenticatorData(answer).extensions == nil)
  }

  @Test func `Key without the extension`() throws {
    var configuration = KeyConfiguration()
    configuration.hmacSecret = false
    let host = try Host(configuration)
    #expect(try host.succeed(.getInfo)[2] == .array([.text("credProtect")]))
    let made = try host.succeed(.makeCredential, Request.credential(discoverable: true))
    #expect(try AuthenticatorData(made).extensions == nil)
  }

  @Test func `Bad imports of a credential are refused`() {
    for text in [
      "{}", #"{"rp_id": "a"}"#, #"{"rp_id": "a", "cred_random_with_uv": "00"}"#,
      #"{"rp_id": "a", "cred_random_with_uv": "zz"}"#,
    ] {
      #expect(throws: (any Error).self) {
        try JSONDecoder().decode(ImportedCredential.self, from: Data(text.utf8))
      }
    }
  }
}
