internal import SecretMemory

/// One request for a code: its address, and what the answer must fit.
struct Authorization: Sendable {
  /// The oldest login in seconds, ten minutes as at the guards.
  static let maximumAge = 600

  /// The secret that PKCE proves (RFC 7636).
  let verifier = random()
  /// The text that only this request's redirect knows.
  let state: String
  /// The port of the redirect.
  ///
  /// Issuers allow any (RFC 8252, section 7.3).
  let port: Int

  /// A new text of 43 characters, 256 bits.
  static func random() -> String { Base64.string(Randomness.bytes(count: 32), .url) }

  /// The address on this computer to which the browser returns.
  var redirect: String { "http://127.0.0.1:\(port)/" }

  /// The challenge for the verifier, S256.
  var challenge: String { Base64.string(SHA256.hash(Array(verifier.utf8)), .url) }

  /// The address that the person opens.
  func url(_ login: AskedLogin, at metadata: IssuerMetadata) -> String {
    let fields = FormFields.encode([
      ("response_type", "code"), ("client_id", login.clientID), ("redirect_uri", redirect),
      ("scope", "openid"), ("state", state), ("nonce", login.nonce),
      // A new login, and `auth_time` in the token. With `max_age=0` some issuers ask again and
      // again: when they look, the login is always older.
      ("prompt", "login"), ("max_age", "\(Self.maximumAge)"),
      ("code_challenge", challenge), ("code_challenge_method", "S256"),
    ])
    let endpoint = metadata.authorization.text
    let mark = metadata.authorization.query == nil ? "?" : "&"
    return endpoint + mark + fields
  }
}
