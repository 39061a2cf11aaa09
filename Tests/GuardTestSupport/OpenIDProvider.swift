import FoundationEssentials
import TestSupport

/// A real OpenID Connect provider on this computer: canaille, by Tests/guards/openid-provider.
///
/// It has one public client and one person. It ends with this value.
public struct OpenIDProvider: Sendable {
  /// The issuer's URL.
  public let issuer: String
  /// The client's ID, which is the audience of ID tokens, too.
  public let clientID: String
  /// The name with which the person logs in.
  public let user: String
  /// The person's password.
  public let password: String
  /// The person's subject.
  public let subject: String

  private struct Description: Decodable {
    let issuer: String
    let clientId: String
    let user: String
    let password: String
    let subject: String
  }

  private let program: LineProgram

  /// Starts a provider at a port that the system chooses.
  ///
  /// - Parameter certificates: a folder from ``TestCertificates``, for HTTPS as `localhost`.
  /// - Throws: where it does not start, or the environment that scripts/setup makes is missing.
  public init(certificates: TestCertificates? = nil) async throws {
    var words = [GuardScript.python, "-B", GuardScript.path("openid-provider")]
    if let certificates {
      words += ["--certificate", certificates.path("good.pem")]
      words += ["--key", certificates.path("good.key")]
    }
    program = try LineProgram(words)
    let description = try await GuardScript.description(program, as: Description.self)
    issuer = description.issuer
    clientID = description.clientId
    user = description.user
    password = description.password
    subject = description.subject
  }
}
