internal import CSPP

/// The state of an account: the answer to ``GuardCall/confirm``, ``GuardCall/reset``,
/// ``GuardCall/status``, ``GuardCall/retire`` and ``GuardCall/veto``.
public struct AccountAnswer: GuardMessage {
  /// The phases, as words of the protocol.
  public enum Phase: String, Sendable {
    /// Created, not confirmed.
    case unconfirmed
    /// In use.
    case confirmed
    /// Retired.
    case retired
  }

  /// The part that depends on the account's kind.
  public enum Detail: Equatable, Sendable {
    /// The tries that are left, at most 1,000, and the earliest time of the next in Unix seconds.
    case tries(left: Int, notBefore: UInt64?)
    /// The pending releases, at most 16.
    case releases([ReleaseAnswer])
  }

  /// The counter for the next request.
  public let counter: UInt64
  /// The phase.
  public let phase: Phase
  /// The part that depends on the account's kind.
  public let detail: Detail

  /// A state, as a client takes it from another answer.
  public init(counter: UInt64, phase: Phase, detail: Detail) {
    self.counter = counter
    self.phase = phase
    self.detail = detail
  }

  /// The state of a PIN account.
  public init(_ account: PINAccount) {
    counter = account.life.counter
    phase = Phase(account.life.phase)
    detail = .tries(left: account.limiter.triesLeft, notBefore: account.limiter.notBefore)
  }

  /// The state of a login account at a time.
  ///
  /// - Parameters:
  ///   - account: the account.
  ///   - now: in Unix seconds; releases that ended before are left out.
  public init(_ account: LoginAccount, at now: UInt64) {
    counter = account.life.counter
    phase = Phase(account.life.phase)
    detail = .releases(account.pending.filter { now < $0.end }.map { ReleaseAnswer($0) })
  }

  /// Reads a body; see ``GuardMessage/init(parsing:)``.
  public init(parsing body: RawSpan) throws(GuardProtocolError) {
    let fields = try MessageFields(
      body, ["counter", "state", "tries_left", "not_before", "releases"])
    counter = try fields.number("counter", in: body)
    guard let phase = Phase(rawValue: try fields.text("state", upTo: 16, in: body)) else {
      throw MessageFields.invalid("state")
    }
    self.phase = phase
    if try fields.value("releases", in: body) == nil {
      detail = .tries(
        left: Int(try fields.number("tries_left", upTo: 1000, in: body)),
        notBefore: try fields.optionalNumber("not_before", in: body))
      return
    }
    _ = try MessageFields(body, ["counter", "state", "releases"])
    var releases: [ReleaseAnswer] = []
    for value in try fields.list("releases", in: body) {
      let row = try MessageFields(value, in: body, ReleaseAnswer.names)
      releases.append(try ReleaseAnswer(row, in: body))
    }
    detail = .releases(releases)
  }

  /// The body: JSON in UTF-8.
  public var body: [UInt8] {
    let common: [(String, String?)] = [
      ("counter", "\(counter)"), ("state", JSONText.quoted(phase.rawValue)),
    ]
    switch detail {
    case .tries(let left, let notBefore):
      return MessageText.body(
        common + [("tries_left", "\(left)"), ("not_before", notBefore.map { "\($0)" })])
    case .releases(let releases):
      return MessageText.body(common + [("releases", MessageText.list(releases.map(\.json)))])
    }
  }
}

extension AccountAnswer.Phase {
  init(_ phase: AccountLife.Phase) {
    switch phase {
    case .unconfirmed: self = .unconfirmed
    case .confirmed: self = .confirmed
    case .retired: self = .retired
    }
  }
}
