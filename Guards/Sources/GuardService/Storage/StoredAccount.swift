public import CSPP
public import GuardProtocol

/// An account as a row.
public struct StoredAccount: Equatable, Sendable {
  /// The part that depends on the account's kind.
  public enum State: Equatable, Sendable {
    /// Tries.
    case pin(PINAccount)
    /// Releases.
    case login(LoginAccount)
  }

  /// The login that a login account was made with.
  public struct Login: Equatable, Sendable {
    /// A code of issuer and subject, 32 bytes.
    public let subject: [UInt8]
    /// The key slot.
    public let keyID: KeyID
    /// The client ID that an ID token must be for.
    public let clientID: String
  }

  /// The ask key; its SHA-256 is the account's ID.
  public let askKey: SigningKey
  /// The reset key.
  public let resetKey: SigningKey
  /// The owner key.
  public let ownerKey: SigningKey
  /// The login; nil for the kind `pin`, and after the account's end.
  public internal(set) var login: Login?
  /// The OPRF key or the share, sealed; nil after the account's end.
  public internal(set) var share: [UInt8]?
  /// Whether it was imported and its owner did not reset it since.
  public internal(set) var isImported = false
  /// The number of its changes.
  var version: UInt64 = 0
  /// Tries or releases.
  public internal(set) var state: State

  init(
    askKey: SigningKey, resetKey: SigningKey, ownerKey: SigningKey, login: Login?,
    share: [UInt8]?, state: State
  ) {
    self.askKey = askKey
    self.resetKey = resetKey
    self.ownerKey = ownerKey
    self.login = login
    self.share = share
    self.state = state
  }

  /// The ID.
  public var id: GuardAccountID { GuardAccountID(of: askKey) }

  /// Enrolment, end, counter.
  public var life: AccountLife {
    switch state {
    case .pin(let account): account.life
    case .login(let account): account.life
    }
  }

  /// Ends it: its share and the person who logged in are forgotten.
  mutating func retire() {
    switch state {
    case .pin(var account):
      account.retire()
      state = .pin(account)
    case .login(var account):
      account.retire()
      state = .login(account)
    }
    share = nil
    login = nil
  }

  /// Takes it in on another computer.
  mutating func imported(at now: UInt64) {
    switch state {
    case .pin(var account):
      account.imported(at: now)
      state = .pin(account)
      isImported = account.life.phase != .retired
    case .login(var account):
      account.imported(at: now)
      state = .login(account)
    }
  }
}

extension StoredAccount.State {
  /// The number of the schedule, or the delay in seconds.
  var terms: UInt64 {
    switch self {
    case .pin(let account): account.limiter.schedule == .pin ? 0 : 1
    case .login(let account): account.delay.delay
    }
  }
}
