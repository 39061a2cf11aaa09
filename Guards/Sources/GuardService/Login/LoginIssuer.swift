internal import CSPP

// This folder is for logins: ID tokens of configured issuers, and the keys that sign them. It knows
// no account. Of JWTKit it takes the signatures alone, never its reading of a token or a key set.

/// An issuer of ID tokens that the guard accepts.
public struct LoginIssuer: Hashable, Sendable {
  /// The issuer, exactly as tokens name it in `iss`.
  public let issuer: String
  /// The client IDs that tokens may be for, exactly as in `aud`.
  public let clientIDs: Set<String>

  /// Checks an issuer; nil for another URL or client ID.
  ///
  /// - Parameters:
  ///   - issuer: a URL with `https`, or with `http` to a loopback address, without user, query and
  ///     fragment; at most 512 bytes of visible ASCII.
  ///   - clientIDs: one or more, each 1 to 256 visible ASCII characters.
  public init?(_ issuer: String, clientIDs: Set<String>) {
    guard Self.isAllowedURL(issuer), !clientIDs.isEmpty,
      clientIDs.allSatisfy({
        (1...256).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isVisible)
      })
    else { return nil }
    self.issuer = issuer
    self.clientIDs = clientIDs
  }

  /// The address of the issuer's description of itself (OpenID Connect Discovery, section 4).
  var configurationURL: String {
    (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer)
      + "/.well-known/openid-configuration"
  }

  /// Whether a URL may be an issuer's, or a guard's: one that a header can have, too.
  public static func isAllowedURL(_ text: String) -> Bool { ServiceURL(text) != nil }

  private static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }
}
