import Crypto
import CryptoExtras
import FoundationEssentials
import GuardProtocol
import SecretMemory
import Testing

@testable import GuardService

@Suite("ID tokens")
struct TokenTests {
  private let issuer: TestIssuer
  private let verifier: IDTokenVerifier

  init() throws {
    issuer = try TestIssuer()
    verifier = .knowing(FixedKeySets(issuer.keySet))
  }

  private func isAccepted(_ changes: [String: String?]) async throws -> Bool {
    await verifier.person(try issuer.token(TestIssuer.claims(changes))) != nil
  }

  @Test func `A login of a configured issuer is accepted, by either key`() async throws {
    #expect(await verifier.person(try issuer.token()) == "person 1")
    #expect(await verifier.person(try issuer.rsaToken()) == "person 1")
    #expect(try await isAccepted(["aud": #"["keybackup"]"#]))
    #expect(try await isAccepted(["azp": #""keybackup""#]))
    #expect(try await isAccepted(["exp": "\(TestIssuer.now + 1).5", "groups": #"["a",{}]"#]))
    #expect(
      await verifier.person(
        try issuer.token(header: #"{"alg":"ES256","kid":"ec","typ":"jwt"}"#)) != nil)
  }

  @Test(arguments: [
    "[]", #"["keybackup","other"]"#, #"["keybackup","keybackup"]"#, "null", "7",
    #"[["keybackup"]]"#, #""other""#, #"["other"]"#, #""""#, #"{"0":"keybackup"}"#,
  ])
  func `Exactly one audience is accepted, and it is the client`(_ audience: String) async throws {
    #expect(try await !isAccepted(["aud": audience]))
  }

  @Test(arguments: ["iss", "sub", "aud", "nonce", "exp", "auth_time"])
  func `A claim that is missing, null or there twice is refused`(_ name: String) async throws {
    #expect(try await !isAccepted([name: String?.none]))
    #expect(try await !isAccepted([name: "null"]))
    let claims = TestIssuer.claims()
    let value = name == "exp" || name == "auth_time" ? "1" : #""x""#
    let doubled = #"{"\#(name)":\#(value),"# + claims.dropFirst()
    #expect(await verifier.person(try issuer.token(doubled)) == nil)
  }

  @Test func `Wrong issuer, party, nonce, subject are refused`() async throws {
    #expect(try await !isAccepted(["iss": #""https://other.example""#]))
    #expect(try await !isAccepted(["iss": #""https://idp.example/""#]))
    #expect(try await !isAccepted(["azp": #""other""#]))
    #expect(try await !isAccepted(["azp": "null"]))
    #expect(try await !isAccepted(["nonce": #""another""#]))
    #expect(try await !isAccepted(["sub": #""""#]))
    #expect(try await !isAccepted(["sub": #""a\u0000b""#]))
    #expect(try await !isAccepted(["sub": #""\#(String(repeating: "s", count: 256))""#]))
    #expect(await verifier.person(try issuer.token(), nonce: "another") == nil)
    #expect(await verifier.person(try issuer.token(), client: "other") == nil)
    // A client ID that an account was made for, and the guard no longer has.
    let other = try issuer.token(TestIssuer.claims(["aud": #""other""#]))
    #expect(await verifier.person(other, client: "other") == nil)
  }

  @Test func `Times are held against the guard's clock`() async throws {
    let now = TestIssuer.now
    #expect(try await !isAccepted(["exp": "\(now)"]))
    #expect(try await isAccepted(["exp": "\(now + 1)"]))
    #expect(try await !isAccepted(["exp": "-1"]))
    #expect(try await !isAccepted(["exp": "1e30"]))
    #expect(try await !isAccepted(["exp": "99999999999999999999999"]))
    #expect(try await isAccepted(["nbf": "\(now + 60)"]))
    #expect(try await !isAccepted(["nbf": "\(now + 61)"]))
    #expect(try await !isAccepted(["iat": "\(now + 61)"]))
    #expect(try await isAccepted(["auth_time": "\(now - 600)"]))
    #expect(try await !isAccepted(["auth_time": "\(now - 601)"]))
    #expect(try await !isAccepted(["auth_time": "\(now + 61)"]))
    #expect(try await !isAccepted(["auth_time": #""\#(now)""#]))
  }

  @Test func `No signature and a signature with the public key as a secret are refused`()
    async throws
  {
    for name in ["none", "None", "NONE", ""] {
      let header = #"{"alg":"\#(name)","kid":"ec"}"#
      #expect(
        await verifier.person(TestIssuer.token(header, TestIssuer.claims()) { _ in [] }) == nil)
      #expect(await verifier.person(try issuer.token(header: header)) == nil)
    }
    let secrets = [
      Array(issuer.elliptic.publicKey.pemRepresentation.utf8),
      Array(issuer.elliptic.publicKey.x963Representation),
      Array(issuer.rsa.publicKey.pemRepresentation.utf8),
      Array(issuer.rsa.publicKey.derRepresentation),
    ]
    for id in ["ec", "rsa"] {
      for secret in secrets {
        let token = TestIssuer.token(#"{"alg":"HS256","kid":"\#(id)"}"#, TestIssuer.claims()) {
          Array(HMAC<Crypto.SHA256>.authenticationCode(for: $0, using: SymmetricKey(data: secret)))
        }
        #expect(await verifier.person(token) == nil)
      }
    }
  }

  @Test func `A key is used with its own algorithm only`() async throws {
    // The header says one thing, the key is for another.
    for header in [
      #"{"alg":"RS256","kid":"ec"}"#, #"{"alg":"ES384","kid":"ec"}"#,
      #"{"alg":"EdDSA","kid":"ec"}"#,
    ] {
      #expect(await verifier.person(try issuer.token(header: header)) == nil)
    }
    for header in [
      #"{"alg":"ES256","kid":"rsa"}"#, #"{"alg":"PS256","kid":"rsa"}"#,
      #"{"alg":"RS512","kid":"rsa"}"#, #"{"alg":"ES256","kid":"ec"}"#,
    ] {
      #expect(await verifier.person(try issuer.rsaToken(header: header)) == nil)
    }
  }

  @Test func `A token without kid is accepted where one key fits, and no first key is taken`()
    async throws
  {
    let bare = try issuer.token(header: #"{"alg":"ES256"}"#)
    #expect(await verifier.person(bare) != nil)
    let other = try TestIssuer()
    let two = TestIssuer.set([issuer.ellipticKey(), other.ellipticKey(#""kid":"ec2""#)])
    let several = IDTokenVerifier.knowing(FixedKeySets(two))
    #expect(await several.person(bare) == nil)
    #expect(await several.person(try issuer.token()) != nil)
    // Two keys with one name are no key.
    let same = TestIssuer.set([issuer.ellipticKey(), other.ellipticKey()])
    #expect(await IDTokenVerifier.knowing(FixedKeySets(same)).person(try issuer.token()) == nil)
  }

  @Test func `Headers that a guard does not understand are refused`() async throws {
    for header in [
      #"{"alg":"ES256","kid":"ec","crit":["x"],"x":1}"#,
      #"{"alg":"ES256","kid":"ec","typ":"at+jwt"}"#,
      #"{"alg":"ES256","kid":"ec","typ":"logout+jwt"}"#,
      #"{"alg":"ES256","alg":"ES256","kid":"ec"}"#,
      #"{"alg":"ES256","kid":7}"#, #"{"kid":"ec"}"#, #"["ES256"]"#, "", "{",
    ] {
      #expect(await verifier.person(try issuer.token(header: header)) == nil)
    }
    // A key that comes along in the header is nobody's.
    let other = try TestIssuer()
    let brought = #"{"alg":"ES256","kid":"ec","jwk":\#(other.ellipticKey())}"#
    #expect(await verifier.person(try other.token(header: brought)) == nil)
    #expect(await verifier.person(try issuer.token(header: brought)) != nil)
  }

  @Test func `Tokens of another form are refused, and none ends the guard`() async throws {
    let token = try issuer.token()
    let parts = token.split(separator: ".").map(String.init)
    for text in [
      "", ".", "..", "...", token + ".", "." + token, token + "=", parts[0] + "." + parts[1],
      token.replacing(".", with: " . "), parts[0] + ".." + parts[2], token + "\n",
      "\(parts[0]).\(parts[1])+.\(parts[2])",
      try issuer.token(TestIssuer.claims(["x": #""\#(String(repeating: "x", count: 20_000))""#])),
      try issuer.token("[]"), try issuer.token(#""claims""#), try issuer.token(""),
      try issuer.token(String(repeating: "[", count: 10_000)),
    ] {
      #expect(await verifier.person(text) == nil)
    }
  }

  @Test func `Any change of a token is refused`() async throws {
    let token = Array(try issuer.token().utf8)
    for place in stride(from: 0, to: token.count, by: 3) {
      var changed = token
      changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      #expect(await verifier.person(String(decoding: changed, as: UTF8.self)) == nil)
    }
  }
}
