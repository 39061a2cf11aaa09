/// The exchange of a code for an ID token (RFC 6749, section 4.1.3; RFC 7636, section 4.5).
enum TokenExchange {
  /// Asks the issuer.
  ///
  /// - Parameters:
  ///   - code: the code.
  ///   - authorization: the request that it answers.
  ///   - login: the login.
  ///   - metadata: the issuer.
  ///   - web: the client to ask with.
  ///   - deadline: the end of the time.
  /// - Returns: the ID token.
  /// - Throws: ``AskFailure``.
  static func token(
    for code: String, _ authorization: Authorization, _ login: AskedLogin,
    at metadata: IssuerMetadata, over web: WebClient, until deadline: ContinuousClock.Instant
  ) async throws(AskFailure) -> String {
    let form = FormFields.encode([
      ("grant_type", "authorization_code"), ("code", code),
      ("redirect_uri", authorization.redirect), ("client_id", login.clientID),
      ("code_verifier", authorization.verifier),
    ])
    let answer = try await web.answer(
      to: WebRequest(
        address: metadata.token, method: "POST",
        headers: [
          ("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json"),
        ], body: Array(form.utf8)),
      until: deadline)
    guard let fields = IssuerFields(answer.body) else {
      throw AskFailure(.login, "the issuer's answer to the code is not JSON (\(answer.status))")
    }
    guard answer.status == 200 else {
      let why = IssuerError.text(fields.text("error") ?? "", fields.text("error_description"))
      throw AskFailure(.login, "the issuer refused the code: \(why)")
    }
    guard let token = fields.text("id_token") else {
      throw AskFailure(.login, "the issuer gave no ID token")
    }
    try IDTokenGlance.check(token, issuer: metadata.issuer, nonce: login.nonce)
    return token
  }
}

/// The first look at an ID token, so that an attack is noticed early.
///
/// Guards verify it.
enum IDTokenGlance {
  /// The most bytes of a token.
  static let maximumSize = 16_384

  /// Checks the form, the issuer and the nonce; the signature is left to the guards.
  ///
  /// - Throws: ``AskFailure/Reason/login``.
  static func check(_ token: String, issuer: String, nonce: String) throws(AskFailure) {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard token.utf8.count <= maximumSize, parts.count == 3,
      parts.allSatisfy({ !$0.isEmpty && Base64URL.decode($0) != nil }),
      let claims = Base64URL.decode(parts[1]).flatMap({ IssuerFields($0) })
    else { throw AskFailure(.login, "the ID token is not a signed JSON Web Token") }
    guard claims.text("iss").map({ $0.utf8.elementsEqual(issuer.utf8) }) == true else {
      throw AskFailure(.login, "the ID token is of another issuer")
    }
    guard claims.text("nonce").map({ $0.utf8.elementsEqual(nonce.utf8) }) == true else {
      throw AskFailure(.login, "the ID token is for another login")
    }
  }
}
