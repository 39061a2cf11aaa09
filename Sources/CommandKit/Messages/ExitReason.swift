/// How a command ends: the number that a script tests, and its word.
///
/// The word stands in `error.code` of JSON. Both are a promise to users; see
/// docs/exit-codes.md.
package enum ExitReason: Int32, CaseIterable, Sendable {
  case success = 0
  case usage = 64
  case dataInvalid = 65
  case noInput = 66
  case noAuthenticator = 69
  case internalError = 70
  case cannotCreate = 73
  case io = 74
  case incomplete = 75
  case permissionDenied = 77
  case config = 78
  case wrongKey = 80
  case pinInvalid = 81
  case pinBlocked = 82
  case pinNotSet = 83
  case touchTimeout = 84
  case denied = 85
  case prfUnsupported = 86
  case partial = 87
  case atRisk = 88
  case rollback = 89
  case ambiguous = 90
  case authenticatorLost = 91
  case pinLastTries = 92
  case authenticatorFull = 93
  case conflict = 94
  case interrupted = 130

  /// The word for `error.code`.
  ///
  /// Two numbers carry two words each; the other word of those is given with
  /// the message.
  package var word: String {
    switch self {
    case .success: "ok"
    case .usage: "usage"
    case .dataInvalid: "data-invalid"
    case .noInput: "no-input"
    case .noAuthenticator: "no-authenticator"
    case .internalError: "internal"
    case .cannotCreate: "cannot-create"
    case .io: "io"
    case .incomplete: "incomplete"
    case .permissionDenied: "permission-denied"
    case .config: "config"
    case .wrongKey: "wrong-key"
    case .pinInvalid: "pin-invalid"
    case .pinBlocked: "pin-blocked"
    case .pinNotSet: "pin-not-set"
    case .touchTimeout: "touch-timeout"
    case .denied: "denied"
    case .prfUnsupported: "prf-unsupported"
    case .partial: "partial"
    case .atRisk: "at-risk"
    case .rollback: "rollback"
    case .ambiguous: "ambiguous"
    case .authenticatorLost: "authenticator-lost"
    case .pinLastTries: "pin-last-tries"
    case .authenticatorFull: "authenticator-full"
    case .conflict: "conflict"
    case .interrupted: "interrupted"
    }
  }

  /// The one to end with where several apply, as the contract orders them.
  package static func mostUrgent(of codes: [ExitReason]) -> ExitReason {
    let order: [ExitReason] = [
      .dataInvalid, .rollback, .partial, .conflict, .permissionDenied, .incomplete, .atRisk,
      .cannotCreate,
    ]
    return order.first(where: codes.contains) ?? .success
  }
}
