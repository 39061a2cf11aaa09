/// The verdict on an address to which a browser was sent.
enum RedirectVerdict: Equatable, Sendable {
  /// It does not belong to this login: go on waiting.
  case foreign
  /// The code.
  case code(String)
  /// The login's end.
  case failed(AskFailure)
}

/// Judges redirects of one login.
struct RedirectJudge: Sendable {
  /// The state of the request.
  let state: String
  /// The issuer.
  let issuer: String
  /// Whether the redirect must name it.
  let namesIssuer: Bool

  /// The verdict on the query of a redirect.
  func verdict(on query: some StringProtocol) -> RedirectVerdict {
    guard query.utf8.count <= AskedLogin.maximumRedirect, let fields = FormFields.decode(query),
      let state = fields["state"], state.utf8.elementsEqual(self.state.utf8)
    else { return .foreign }
    // RFC 9207: a code of another issuer is not sent to this one.
    let isNamed = fields["iss"].map { $0.utf8.elementsEqual(issuer.utf8) } ?? !namesIssuer
    guard isNamed else {
      return .failed(AskFailure(.login, "the redirect does not name this issuer"))
    }
    if let error = fields["error"] {
      return .failed(
        error == "access_denied"
          ? AskFailure(.denied, "the login was refused at the issuer")
          : AskFailure(
            .login,
            "the issuer ended the login: \(IssuerError.text(error, fields["error_description"]))"))
    }
    guard let code = fields["code"], (1...4096).contains(code.utf8.count) else {
      return .failed(AskFailure(.login, "the redirect has no code"))
    }
    return .code(code)
  }

  /// The verdict on an address that a person pasted.
  func verdict(onPasted address: String) -> RedirectVerdict {
    guard let mark = address.firstIndex(of: "?") else { return .foreign }
    let query = address[address.index(after: mark)...].prefix { $0 != "#" && !$0.isWhitespace }
    return verdict(on: query)
  }
}

/// Error words of an issuer (RFC 6749, sections 4.1.2.1 and 5.2).
enum IssuerError {
  /// A word that is safe to show.
  static func word(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
    return isPlain && (1...40).contains(text.utf8.count) ? text : "an unknown error"
  }

  /// The word, and the issuer's description where that is safe to show too.
  static func text(_ error: String, _ description: String?) -> String {
    guard let description, (1...120).contains(description.utf8.count),
      description.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
    else { return word(error) }
    return "\(word(error)) (\(description))"
  }
}
