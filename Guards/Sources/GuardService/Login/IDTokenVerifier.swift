public import GuardProtocol
internal import NIOCore

/// Checks ID tokens of the configured issuers.
public struct IDTokenVerifier: LoginVerifier {
  private struct Known: Sendable {
    let issuer: LoginIssuer
    let keys: IssuerKeys
  }

  private let known: [Known]
  private let clock: @Sendable () -> UInt64

  /// Takes the issuers that tokens may come from.
  ///
  /// - Parameters:
  ///   - issuers: each once.
  ///   - authorities: a file with the authorities to trust for their key sets, in PEM; nil: those of
  ///     this system.
  public init(_ issuers: [LoginIssuer], authorities: String? = nil) {
    self.init(issuers, from: PublishedKeySet(authorities: authorities)) {
      NIODeadline.now().uptimeNanoseconds / 1_000_000_000
    }
  }

  /// Takes issuers, another source of keys, and a clock in seconds that never goes back.
  init(
    _ issuers: [LoginIssuer], from source: any KeySetSource,
    clock: @escaping @Sendable () -> UInt64
  ) {
    known = issuers.map { Known(issuer: $0, keys: IssuerKeys(of: $0, from: source)) }
    self.clock = clock
  }

  /// The issuers, as tokens name them.
  public var issuers: [String] { known.map(\.issuer.issuer) }

  /// Checks a token.
  ///
  /// - Parameters:
  ///   - token: the ID token.
  ///   - nonce: the nonce that it must have.
  ///   - clientID: the client ID that it must be for.
  ///   - now: the time in Unix seconds.
  /// - Returns: the issuer and the person.
  /// - Throws: ``GuardRefusal/malformed`` for any token that is not accepted, for whatever reason.
  public func subject(
    of token: String, nonce: String, clientID: String, now: UInt64
  ) async throws(GuardRefusal) -> VerifiedSubject {
    // The claims are read first, so that a token that cannot count makes nobody ask the issuer.
    guard let token = IDToken(token), let claims = IDTokenClaims(parsing: token.claims),
      claims.hold(nonce: nonce, clientID: clientID, now: now),
      let known = known.first(where: { $0.issuer.issuer == claims.issuer }),
      known.issuer.clientIDs.contains(clientID),
      let key = await known.keys.key(token.keyID, token.algorithm, at: clock()),
      key.verifies(token.signature, of: token.message)
    else { throw .malformed }
    return VerifiedSubject(issuer: claims.issuer, subject: claims.subject)
  }
}
