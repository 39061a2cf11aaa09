import FoundationEssentials
import GuardProtocol
import GuardTestSupport
import TestSupport
import Testing

@testable import GuardService

/// A real issuer, canaille, and a real browser, chromium.
@Suite(.serialized) struct OpenIDTests {
  /// Whether a guard accepts the token, of the person at this issuer and for this login only.
  private func check(
    _ token: String, _ provider: OpenIDProvider, nonce: String, authorities: String? = nil
  ) async throws {
    let issuer = try #require(LoginIssuer(provider.issuer, clientIDs: [provider.clientID]))
    // On a busy machine the issuer may answer later than a guard waits, and the login may be too old.
    let keys = PublishedKeySet(authorities: authorities, limit: .seconds(300))
    let verifier = IDTokenVerifier([issuer], from: keys) { 0 }
    let claims = try #require(IDToken(token).flatMap { IDTokenClaims(parsing: $0.claims) })
    let now = try #require(claims.issued)
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
