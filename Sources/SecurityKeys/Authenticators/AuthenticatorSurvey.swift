package import CommandKit
internal import PRFDevice

/// The result of silently querying one security key.
package enum AuthenticatorLook: Sendable {
  case holds(OpenAuthenticator, [UnlockQuestion])
  /// It does not tell without its PIN.
  case perhaps(OpenAuthenticator)
  case holdsNone
  case failed(UserMessage)
}

/// The knowledge about the connected security keys during a search.
struct AuthenticatorSurvey {
  private let names: KeyNames
  private var looks: [AuthenticatorDescriptor: AuthenticatorLook] = [:]
  /// The loss of a key while it was queried.
  private(set) var loss: UserMessage?

  init(_ names: KeyNames) { self.names = names }

  /// Forgets keys that are no longer connected.
  mutating func keep(_ found: [AuthenticatorDescriptor]) {
    looks = looks.filter { found.contains($0.key) }
  }

  mutating func note(_ news: [AuthenticatorDescriptor: AuthenticatorLook]) {
    looks.merge(news) { $1 }
    for case .failed(let error) in news.values where error.isLoss { loss = error }
  }

  /// The keys to query: those that are new, were busy, or were lost and are back.
  func unknown(among found: [AuthenticatorDescriptor]) -> [AuthenticatorDescriptor] {
    found.filter { descriptor in
      switch looks[descriptor] {
      case nil: true
      case .failed(let error): error.isBusy || error.isLoss
      default: false
      }
    }
  }

  /// The keys that hold a credential, otherwise those that may, in the system's order.
  func candidates(in found: [AuthenticatorDescriptor]) -> [AuthenticatorCandidate] {
    var sure: [AuthenticatorCandidate] = []
    var possible: [AuthenticatorCandidate] = []
    for look in found.compactMap({ looks[$0] }) {
      switch look {
      case .holds(let key, let questions):
        sure.append(AuthenticatorCandidate(key: key, questions: questions))
      case .perhaps(let key): possible.append(AuthenticatorCandidate(key: key, questions: []))
      case .holdsNone, .failed: break
      }
    }
    return sure.isEmpty ? possible : sure
  }

  /// The reasons why keys could not be queried, or did not answer yet.
  func failures(in found: [AuthenticatorDescriptor]) -> [UserMessage] {
    found.compactMap { descriptor in
      switch looks[descriptor] {
      case .failed(let error): error
      case nil: UserMessage(.noAnswer, key: names.name(of: descriptor))
      default: nil
      }
    }
  }

  /// The number of keys that hold nothing usable; a key that was removed may hold something.
  func countOfUnsuitable(in found: [AuthenticatorDescriptor]) -> Int {
    found.count { descriptor in
      if case .failed(let error) = looks[descriptor] { return !error.isLoss }
      return true
    }
  }

  /// The error that another program is using a key, if one is.
  func busy(in found: [AuthenticatorDescriptor]) -> UserMessage? {
    failures(in: found).first(where: \.isBusy)
  }

  /// The reason why no key is suitable.
  func reason(
    in found: [AuthenticatorDescriptor], _ wanted: WantedAuthenticator
  ) -> UserMessage {
    if found.isEmpty { return loss ?? UserMessage(.noAuthenticator) }
    return failures(in: found).first ?? .nothingOpens(found.count, wanted)
  }
}

extension UserMessage {
  /// Whether another program is using the security key.
  var isBusy: Bool { word == "busy" }

  /// Whether the security key is connected but does not answer, so that another wait would be
  /// useless.
  var isSilence: Bool { code == .authenticatorLost && message.hasSuffix(Self.silence) }

  /// Whether the security key was disconnected.
  var isLoss: Bool { code == .authenticatorLost && !isSilence }

  /// The end of the message about a key that does not answer.
  static let silence = " does not answer"
}
