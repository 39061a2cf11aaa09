import FoundationEssentials
import TestSupport

/// A real browser, chromium, that does what a person does at ``OpenIDProvider``'s pages
/// (Tests/guards/browser-login).
public enum Browser {
  /// What a browser came to.
  public struct Visit: Decodable, Sendable {
    /// The address on this computer to which the issuer sent it.
    public let redirect: String
    /// The text of the page there; nil where nothing listens.
    public let text: String?
    /// The forms that were filled in.
    public let steps: [String]
  }

  /// Logs in.
  ///
  /// - Parameters:
  ///   - url: the issuer's page.
  ///   - provider: the issuer.
  ///   - denies: whether the person refuses the consent.
  ///   - trustsAny: whether any certificate will do.
  /// - Returns: where the browser was sent.
  /// - Throws: where it was sent nowhere in time.
  public static func logIn(
    at url: String, of provider: OpenIDProvider, denies: Bool = false, trustsAny: Bool = false
  ) async throws -> Visit {
    var words = [GuardScript.python, "-B", GuardScript.path("browser-login"), url]
    words += [
      "--user", provider.user, "--password", provider.password, "--seconds", "\(Backstop.seconds)",
    ]
    if denies { words.append("--deny") }
    if trustsAny { words.append("--insecure") }
    return try await GuardScript.description(try LineProgram(words), as: Visit.self)
  }
}
