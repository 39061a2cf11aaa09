import FoundationEssentials
import GuardProtocol
import GuardService
import GuardTestSupport
import TestSupport
import Testing

/// When a person logged in, as a token tells it.
private struct LoginTime: Decodable {
  /// In Unix seconds.
  let seconds: UInt64

  private enum CodingKeys: String, CodingKey { case seconds = "auth_time" }

  /// Reads the claims, the second part of the token (RFC 7519, section 3), without checking them.
  init(of token: String) throws {
    let parts = token.split(separator: ".")
    try #require(parts.count == 3)
    var claims = parts[1].map { $0 == "-" ? "+" : $0 == "_" ? "/" : String($0) }.joined()
    claims += String(repeating: "=", count: (4 - claims.count % 4) % 4)
    self = try JSONDecoder().decode(Self.self, from: #require(Data(base64Encoded: claims)))
  }
}

/// A real issuer, canaille, and a real browser, chromium.
@Suite(.serialized) struct OpenIDTests {
  /// Whether a guard accepts the token, of the person at this issuer and for this login only.
  private func check(
    _ token: String, _ provider: OpenIDProvider, nonce: String, authorities: String? = nil
  ) async throws {
    let issuer = try #require(LoginIssuer(provider.issuer, clientIDs: [provider.clientID]))
    let verifier = IDTokenVerifier([issuer], authorities: authorities)
    // The token's own time: a busy machine may take longer than a login is accepted.
    let now = try LoginTime(of: token).seconds
    let person = try await verifier.subject(
      of: token, nonce: nonce, clientID: provider.clientID, now: now)
    #expect(person.issuer == provider.issuer)
    #expect(person.subject == provider.subject)
    await #expect(throws: GuardRefusal.malformed) {
      try await verifier.subject(
        of: token, nonce: "another", clientID: provider.clientID, now: now)
    }
    // Ten minutes after the login it is too late.
    await #expect(throws: GuardRefusal.malformed) {
      try await verifier.subject(
        of: token, nonce: nonce, clientID: provider.clientID, now: now + 700)
    }
  }

  @Test func `A person logs in, and a guard accepts the token for this login only`() async throws {
    let provider = try await OpenIDProvider()
    let child = try AskChild()
    let nonce = "nonce-\(UUID().uuidString)"
    let line = try await child.ask(
      Lines.login(1, at: provider.issuer, client: provider.clientID, nonce: nonce))
    let url = try #require(line.authorize?.url, "\(line)")
    let visit = try await Browser.logIn(at: url, of: provider)
    #expect(visit.steps == ["login", "password", "answer"])
    #expect(visit.text == "keybackup goes on with the login. You can close this window.")
    let last = try await child.line()
    try await check(try #require(last.idToken, "\(last)"), provider, nonce: nonce)
  }

  @Test func `A person refuses the consent`() async throws {
    let provider = try await OpenIDProvider()
    let child = try AskChild()
    let line = try await child.ask(
      Lines.login(1, at: provider.issuer, client: provider.clientID, nonce: "refused"))
    let url = try #require(line.authorize?.url, "\(line)")
    let visit = try await Browser.logIn(at: url, of: provider, denies: true)
    #expect(visit.text == "The login did not succeed. You can close this window.")
    #expect(try await child.line().failure?.reason == "denied")
  }

  @Test func `Over HTTPS, with a browser elsewhere, the address is pasted`() async throws {
    let certificates = try TestCertificates()
    let provider = try await OpenIDProvider(certificates: certificates)
    #expect(provider.issuer.hasPrefix("https://localhost:"))
    let untrusting = try await AskChild().ask(
      Lines.login(1, at: provider.issuer, client: provider.clientID))
    #expect(untrusting.failure?.reason == "tls")
    let child = try AskChild(trusting: [certificates.authority])
    let line = try await child.ask(
      Lines.login(1, at: provider.issuer, client: provider.clientID, nonce: "pasted", pasted: true))
    let url = try #require(line.authorize?.url, "\(line)")
    let visit = try await Browser.logIn(at: url, of: provider, trustsAny: true)
    #expect(visit.text == nil, "nothing listens there")
    let last = try await child.ask(#"{"id":1,"redirect":"\#(visit.redirect)"}"#)
    try await check(
      try #require(last.idToken, "\(last)"), provider, nonce: "pasted",
      authorities: certificates.authority)
  }
}
