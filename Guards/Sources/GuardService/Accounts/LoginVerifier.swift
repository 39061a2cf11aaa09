public import GuardProtocol

/// The check of ID tokens.
public protocol LoginVerifier: Sendable {
  /// Checks an ID token.
  ///
  /// - Parameters:
  ///   - token: the token, as it came.
  ///   - nonce: the nonce that it must have.
  ///   - clientID: the audience that it must have.
  ///   - now: the time in Unix seconds.
  /// - Returns: the person who logged in.
  /// - Throws: ``GuardRefusal/malformed`` for a token that is not accepted.
  func subject(
    of token: String, nonce: String, clientID: String, now: UInt64
  ) async throws(GuardRefusal) -> VerifiedSubject
}

/// A person who logged in, as an issuer names them.
public struct VerifiedSubject: Hashable, Sendable {
  /// The issuer's URL.
  public let issuer: String
  /// The issuer's name for the person.
  public let subject: String

  /// Creates a name.
  public init(issuer: String, subject: String) {
    self.issuer = issuer
    self.subject = subject
  }
}
