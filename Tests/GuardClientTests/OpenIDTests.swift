import FoundationEssentials
import GuardTestSupport
import TestSupport
import Testing

/// A real issuer, canaille, and a real browser, chromium.
@Suite(.serialized) struct OpenIDTests {
  private struct Claims: Decodable {
    let iss: String
    let aud: [String]
    let sub: String
    let nonce: String
    let iat: Double
    let exp: Double
    let authTime: Double
  }

  private func claims(_ token: String) throws -> Claims {
    let parts = token.split(separator: ".")
    try #require(parts.count == 3)
    var text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
    while text.count % 4 != 0 { text += "=" }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Claims.self, from: try #require(Data(base64Encoded: text)))
  }

  private func check(_ token: String, _ provider: OpenIDProvider, nonce: String) throws {
    let claims = try claims(token)
    #expect(claims.iss == provider.issuer)
    #expect(claims.aud == [provider.clientID])
    #expect(claims.sub == provider.subject)
    #expect(claims.nonce == nonce)
    let now = Date().timeIntervalSince1970
    #expect(claims.exp > now)
    #expect(abs(now - claims.authTime) < 300)
    #expect(abs(now - claims.iat) < 300)
  }

  @Test func `A person logs in, and the token is for this login`() async throws {
    let provider = try await OpenIDProvider()
    let child = try AskChild()
    let nonce = "nonce-\(UUID().uuidString)"
    let line = try await child.ask(
      Lines.login(1, at: provider.issuer, client: provider.clientID, nonce: nonce))
    let url = try #require(line.authorize?.url, "\(line)")
    let visit = try await Browser.logIn(at: url, of: provider)
    #expect(visit.steps == ["login", "password", "answer"])
    #expect(visit.text == "You can close this window.")
    let last = try await child.line()
    try check(try #require(last.idToken, "\(last)"), provider, nonce: nonce)
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
    try check(try #require(last.idToken, "\(last)"), provider, nonce: "pasted")
  }
}
