import FoundationEssentials
import SecretMemory
import Testing

@testable import GuardService

@Suite("Key sets of an issuer")
struct KeySetTests {
  private let issuer: TestIssuer

  init() throws { issuer = try TestIssuer() }

  private func accepts(_ set: String) async throws -> Bool {
    await IDTokenVerifier.knowing(FixedKeySets(set)).person(try issuer.token()) != nil
  }

  @Test(arguments: [
    #"{"kty":"new","kid":"a"}"#, #"{"kty":"EC","crv":"P-521","x":"","y":"","kid":"a"}"#,
    #"{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA","kid":"a"}"#, #"{"kid":"a"}"#, "7", "null",
    #"{"kty":"RSA","n":"AQAB","e":"AQAB","kid":"a","alg":"RS256"}"#, #"{"kty":7}"#, "[]", "{}",
    #"{"kty":"RSA","kty":"EC","kid":"a"}"#, #"{"kty":"oct","k":"AAAA","kid":"ec","alg":"HS256"}"#,
    #"{"kty":"OKP","crv":"X25519","x":"AAAA","kid":"a"}"#, #"{"kty":"RSA","alg":"RSA-OAEP"}"#,
    #"{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA","kid":"a","alg":"ES256"}"#,
  ])
  func `One key that cannot be used leaves the others`(_ key: String) async throws {
    #expect(try await accepts(TestIssuer.set([key, issuer.ellipticKey()])))
    #expect(try await accepts(TestIssuer.set([issuer.ellipticKey(), key])))
  }

  @Test func `A key for another use is not used`() async throws {
    for more in [
      #""kid":"ec","use":"enc""#, #""kid":"ec","key_ops":["sign"]"#, #""kid":"ec","key_ops":[]"#,
      #""kid":"ec","alg":"ES384""#, #""kid":"ec","alg":"HS256""#, #""kid":"ec","use":7"#,
    ] {
      #expect(try await !accepts(TestIssuer.set([issuer.ellipticKey(more)])))
    }
    for more in [#""kid":"ec","key_ops":["verify"]"#, #""kid":"ec""#, #""kid":"ec","x5c":["AA"]"#] {
      #expect(try await accepts(TestIssuer.set([issuer.ellipticKey(more)])))
    }
  }

  @Test func `An RSA key of 1024 or of 8192 bits is not used`() async throws {
    for size in [128, 1024] {
      let modulus = TestIssuer.text([UInt8](repeating: 0xAB, count: size))
      let text = TestIssuer.set([#"{"kty":"RSA","n":"\#(modulus)","e":"AQAB","kid":"r"}"#])
      let set = try #require(await KeySet(parsing: Array(text.utf8)))
      #expect(set.keys.isEmpty)
    }
    let text = TestIssuer.set([try issuer.rsaKey(#""kid":"r""#)])
    #expect(await KeySet(parsing: Array(text.utf8))?.keys.map(\.algorithm) == ["RS256"])
  }

  @Test(arguments: [
    "", "{}", "[]", #"{"keys":{}}"#, #"{"keys":[}"#, #"{"keys":[],"keys":[]}"#, "null",
  ])
  func `A text that is no key set opens nothing`(_ text: String) async throws {
    #expect(try await !accepts(text))
    #expect(await KeySet(parsing: Array(text.utf8)) == nil)
  }

  @Test func `A key set beyond 64 KiB, and the keys after the 64th, are not read`() async throws {
    let filler = String(repeating: " ", count: KeySet.maximumSize)
    #expect(try await !accepts(TestIssuer.set([issuer.ellipticKey()]) + filler))
    let many = [String](repeating: #"{"kty":"x"}"#, count: 64) + [issuer.ellipticKey()]
    #expect(try await !accepts(TestIssuer.set(many)))
  }

  @Test func `An unknown key makes the guard ask once a minute, however many tokens come`()
    async throws
  {
    let source = FixedKeySets(issuer.keySet)
    let clock = SetClock()
    let verifier = IDTokenVerifier.knowing(source, clock: clock)
    #expect(await verifier.person(try issuer.token()) != nil)
    #expect(source.asked == 1)
    let next = try TestIssuer()
    let token = try next.token(header: #"{"alg":"ES256","kid":"new"}"#)
    for _ in 0..<20 { #expect(await verifier.person(token) == nil) }
    #expect(source.asked == 1)
    // The issuer has a new key; the old one still counts meanwhile.
    source.replace(with: TestIssuer.set([next.ellipticKey(#""kid":"new""#)]))
    clock.advance(59)
    #expect(await verifier.person(token) == nil)
    #expect(await verifier.person(try issuer.token()) != nil)
    clock.advance(1)
    #expect(await verifier.person(token) != nil)
    #expect(source.asked == 2)
    // The old key was withdrawn.
    #expect(await verifier.person(try issuer.token()) == nil)
  }

  @Test func `A token that cannot count makes nobody ask the issuer`() async throws {
    let source = FixedKeySets(issuer.keySet)
    let verifier = IDTokenVerifier.knowing(source)
    for changes in [
      ["aud": "[]"], ["nonce": #""x""#], ["exp": "1"], ["iss": #""https://x.example""#],
    ] {
      #expect(await verifier.person(try issuer.token(TestIssuer.claims(changes))) == nil)
    }
    #expect(source.asked == 0)
  }

  @Test func `Keys are kept for an hour, and an issuer that is down is asked again soon`()
    async throws
  {
    let source = FixedKeySets(nil)
    let clock = SetClock()
    let verifier = IDTokenVerifier.knowing(source, clock: clock)
    let token = try issuer.token()
    for _ in 0..<5 { #expect(await verifier.person(token) == nil) }
    #expect(source.asked == 1)
    source.replace(with: issuer.keySet)
    clock.advance(IssuerKeys.pauseAfterFailure)
    #expect(await verifier.person(token) != nil)
    clock.advance(IssuerKeys.lifetime - 1)
    #expect(await verifier.person(token) != nil)
    #expect(source.asked == 2)
    // A key that the issuer withdrew ends with the hour.
    source.replace(with: TestIssuer.set([]))
    clock.advance(1)
    #expect(await verifier.person(token) == nil)
    #expect(source.asked == 3)
  }

  @Test func `Many logins at once make one request`() async throws {
    let source = FixedKeySets(issuer.keySet)
    let verifier = IDTokenVerifier.knowing(source)
    let token = try issuer.token()
    let accepted = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<50 { group.addTask { await verifier.person(token) != nil } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(accepted == 50)
    #expect(source.asked == 1)
  }
}
