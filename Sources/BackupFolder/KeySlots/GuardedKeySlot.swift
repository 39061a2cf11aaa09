public import CSPP

extension KeySlot {
  /// Whether its secret comes from guards.
  ///
  /// Such a slot opens the backup while enough guards help. It never counts as a way in of its own,
  /// and where its master key was rotated, its secret must be renewed.
  public var isGuarded: Bool {
    switch kind {
    case .guardedPIN, .guardedLogin: true
    case .securityKey, .csppEnvelope, .recoveryCode, .unknown: false
    }
  }

  /// The addresses of its guards, as its file has them; empty for other kinds.
  public var guardURLs: [ServiceURL] {
    switch kind {
    case .guardedPIN(let way): way.guards.map(\.url)
    case .guardedLogin(let way): way.guards.map(\.url)
    case .securityKey, .csppEnvelope, .recoveryCode, .unknown: []
    }
  }

  /// The number of its guards, and how many of them suffice; nil for other kinds.
  public var guardThreshold: GuardThreshold? {
    switch kind {
    case .guardedPIN(let way): way.threshold
    case .guardedLogin(let way): way.threshold
    case .securityKey, .csppEnvelope, .recoveryCode, .unknown: nil
    }
  }

  /// Whether the master key was rotated since, so that its secret must be renewed.
  public var needsRenewal: Bool { isGuarded && isPending && !isRemoved }
}
