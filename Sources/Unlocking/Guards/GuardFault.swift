package import CommandKit
package import GuardProtocol

/// The reason why one guard gave no answer that can be used.
package enum GuardFault: Error, Equatable, Sendable {
  /// No answer came: no connection, no time, no trusted certificate. The text says which.
  case missing(String)
  /// The guard refuses.
  case refused(GuardRefusal)
  /// The guard answers what no honest guard answers; the text says what is wrong.
  case wrong(String)

  /// The fault as the end of a sentence about the guard.
  package var text: String {
    switch self {
    case .missing(let why): why
    case .wrong(let what): "its answer is wrong: \(what)"
    case .refused(let refusal): refusal.text
    }
  }

  /// Whether the request may have been done all the same: no answer came that can be used.
  package var isLost: Bool { if case .refused = self { false } else { true } }

  /// Whether what was asked for may have been done all the same, and a status tells.
  var isUnclear: Bool {
    switch self {
    case .missing, .refused(.counter): true
    case .refused, .wrong: false
    }
  }

  /// An address at which something else than the guard answers.
  package static func gone(status: Int) -> GuardFault {
    .missing("\(noGuard) (HTTP's status \(status))")
  }
  private static let noGuard = "no guard is at its address any more"

  /// The help against a fault.
  enum Remedy { case patience, newAddress, renewal }

  /// The help against it: another guard, where this one will not help again.
  var remedy: Remedy {
    switch self {
    case .wrong, .refused(.unknown), .refused(.disabled), .refused(.unconfirmed): .renewal
    case .missing(let why) where why.hasPrefix(Self.noGuard): .newAddress
    case .missing(GuardRefusal.stopped.text), .refused(.stopped): .newAddress
    case .missing, .refused: .patience
    }
  }

  /// Whether its certificate may be one of its own, whose authority can be named.
  package var isUntrusted: Bool {
    guard case .missing(let why) = self else { return false }
    return why.contains("does not trust its certificate")
  }

  /// Whether the guard is to be named as one that does not keep to the protocol.
  package var isWrong: Bool { if case .wrong = self { true } else { false } }
}

extension GuardRefusal {
  /// The refusal as the end of a sentence about the guard.
  package var text: String {
    switch self {
    case .unauthorised: "it does not accept the signature"
    case .unknown: "it does not know the account"
    case .counter: "its counter changes from one request to the next"
    case .unconfirmed: "the account was never confirmed"
    case .disabled: "the account was retired there"
    case .malformed: "it does not accept the request"
    case .tooEarly(let time): "the next try is at \(PrintableTime.minute(time)) UTC"
    case .usedUp: "no try is left there"
    case .tooMany: "it gets too many requests, or too many logins are pending or were stopped there"
    case .clock: "its clock is in doubt, and its operator must accept it first"
    case .stopped: "it was moved; ask its operator for the new address"
    }
  }
}

extension Output {
  /// Warns of guards that gave a wrong answer, although others opened the backup.
  package func warn(liars: [(server: AskedGuard, fault: GuardFault)]) {
    for (server, fault) in liars {
      warn("keybackup: the guard \(server.title) does not help: \(fault.text)")
      warn("hint: do not trust this guard: keybackup guard renew")
    }
  }
}
