internal import SecretMemory

/// One request for a code: its address, and what the answer must fit.
struct Authorization: Sendable {
  /// The most seconds since the person logged in, so that the token has `auth_time`.
  ///
  /// Half of what guards accept: the rest is for the way to them. Not 0: some issuers then find every
  /// login too old and ask again and again.
  static let maximumAge = 300

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
      ("max_age", "\(Self.maximumAge)"),
      ("code_challenge", challenge), ("code_challenge_method", "S256"),
    ])
    let endpoint = metadata.authorization.text
    let mark = metadata.authorization.query == nil ? "?" : "&"
    return endpoint + mark + fields
  }
}
