/// The part of an issuer's metadata that a login needs (OpenID Connect Discovery 1.0).
struct IssuerMetadata: Equatable, Sendable {
  /// The issuer as the metadata, the redirect and the ID token name it.
  let issuer: String
  /// The address at which the person logs in.
  let authorization: WebAddress
  /// The address that takes the code.
  let token: WebAddress
  /// Whether every redirect names the issuer (RFC 9207).
  let namesIssuer: Bool

  /// Asks the issuer.
  ///
  /// - Parameters:
  ///   - issuer: its URL.
  ///   - web: the client to ask with.
  ///   - deadline: the end of the time.
  /// - Returns: the metadata.
  /// - Throws: ``AskFailure``.
  static func fetch(
    _ issuer: String, over web: WebClient, until deadline: ContinuousClock.Instant
  ) async throws(AskFailure) -> IssuerMetadata {
    let address = try WebAddress(issuer).appending("/.well-known/openid-configuration")
    let answer = try await web.answer(
      to: WebRequest(address: address, headers: [("Accept", "application/json")]), until: deadline)
    guard answer.status == 200 else {
      throw AskFailure(.login, "the issuer has no OpenID configuration (\(answer.status))")
    }
    return try IssuerMetadata(answer.body, of: issuer)
  }

  /// Reads the metadata of an issuer.
  ///
  /// - Throws: ``AskFailure/Reason/login``.
  init(_ text: [UInt8], of issuer: String) throws(AskFailure) {
    guard let fields = IssuerFields(text) else {
      throw AskFailure(.login, "the issuer's configuration is not JSON")
    }
    // Code units: no two spellings are equal here.
    guard let named = fields.text("issuer"), named.utf8.elementsEqual(issuer.utf8) else {
      throw AskFailure(.login, "the configuration is that of another issuer")
    }
    guard fields.allows("S256", in: "code_challenge_methods_supported") else {
      throw AskFailure(.login, "the issuer does not offer PKCE with S256")
    }
    let isPlain = try WebAddress(issuer).isPlain
    func endpoint(_ name: StaticString) throws(AskFailure) -> WebAddress {
      guard let text = fields.text(name), text.utf8.count <= 2048,
        let address = try? WebAddress(text, withQuery: true), isPlain || !address.isPlain
      else { throw AskFailure(.login, "the issuer's \(name) is missing or not allowed") }
      return address
    }
    self.issuer = issuer
    authorization = try endpoint("authorization_endpoint")
    token = try endpoint("token_endpoint")
    namesIssuer = fields.isTrue("authorization_response_iss_parameter_supported")
  }
}
