internal import PRFDevice

/// What a silent look at one security key gave.
enum AuthenticatorLook: Sendable {
  case holds(OpenAuthenticator, [UnlockQuestion])
  /// It does not tell without its PIN.
  case perhaps(OpenAuthenticator)
  case holdsNone
  case failed(UserMessage)
}

/// What is known of the security keys in reach while one is searched for.
struct AuthenticatorSurvey {
  private let names: KeyNames
  private var looks: [AuthenticatorDescriptor: AuthenticatorLook] = [:]
  /// That a key went while it was looked at.
  private(set) var loss: UserMessage?

  init(_ names: KeyNames) { self.names = names }

  /// Forgets the keys that are gone.
  mutating func keep(_ found: [AuthenticatorDescriptor]) {
    looks = looks.filter { found.contains($0.key) }
  }

  mutating func note(_ news: [AuthenticatorDescriptor: AuthenticatorLook]) {
    looks.merge(news) { $1 }
    for case .failed(let error) in news.values where error.isLoss { loss = error }
  }

  /// The keys to look at: those that are new, or were busy, or were lost and
  /// are back.
  func unknown(among found: [AuthenticatorDescriptor]) -> [AuthenticatorDescriptor] {
    found.filter { descriptor in
      switch looks[descriptor] {
      case nil: true
      case .failed(let error): error.isBusy || error.isLoss
      default: false
      }
    }
  }

  /// The keys that hold a credential, else those that may, in the system's order.
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

  /// Why keys could not be looked at, or did not answer yet.
  func failures(in found: [AuthenticatorDescriptor]) -> [UserMessage] {
    found.compactMap { descriptor in
      switch looks[descriptor] {
      case .failed(let error): error
      case nil: UserMessage(.noAnswer, key: names.name(of: descriptor))
      default: nil
      }
    }
  }

  /// How many keys hold nothing of use; one that was taken away may hold it.
  func countOfUnsuitable(in found: [AuthenticatorDescriptor]) -> Int {
    found.count { descriptor in
      if case .failed(let error) = looks[descriptor] { return !error.isLoss }
      return true
    }
  }

  /// That a key is in another program's hands, if one is.
  func busy(in found: [AuthenticatorDescriptor]) -> UserMessage? {
    failures(in: found).first(where: \.isBusy)
  }

  /// Why none will do.
  func reason(
    in found: [AuthenticatorDescriptor], _ wanted: WantedAuthenticator
  ) -> UserMessage {
    if found.isEmpty { return loss ?? UserMessage(.noAuthenticator) }
    return failures(in: found).first ?? .nothingOpens(found.count, wanted)
  }
}

extension UserMessage {
  /// Another program has the security key.
  var isBusy: Bool { word == "busy" }

  /// The security key is in reach and says nothing: it would be waited for in vain
  /// once more.
  var isSilence: Bool { code == .authenticatorLost && message.hasSuffix(Self.silence) }

  /// The security key went away.
  var isLoss: Bool { code == .authenticatorLost && !isSilence }

  /// How the message of a key ends that says nothing.
  static let silence = " does not answer"
}
