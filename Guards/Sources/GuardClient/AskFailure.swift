// This module is `keybackup-guard ask`: it asks guards, and logs in at an issuer. It has no PIN, no
// key and no folder. This folder is for its errors.

/// The reason why a request or a login has no answer, as it goes into a line.
struct AskFailure: Error, Equatable, Sendable {
  /// The closed set of reasons.
  enum Reason: String, CaseIterable, Sendable {
    /// No connection, or one that ended before the answer did.
    case unreachable
    /// Too slow, or silent.
    case timeout
    /// No TLS, or a certificate that is not trusted.
    case tls
    /// A redirect, which is never followed.
    case redirect
    /// An answer above the limit.
    case tooLarge = "too-large"
    /// A URL that is not allowed.
    case badURL = "bad-url"
    /// An answer that is not HTTP, or a line that is not of this protocol.
    case `protocol`
    /// A login that the person refused.
    case denied
    /// A login that the issuer refused, or an issuer that cannot be used.
    case login
    /// A request or login that the parent cancelled.
    case cancelled
  }

  /// The reason.
  let reason: Reason
  /// A short text without secrets.
  let detail: String

  init(_ reason: Reason, _ detail: String) {
    self.reason = reason
    self.detail = detail
  }
}
