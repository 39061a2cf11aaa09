/// The part that accounts of both kinds share: enrolment, end, and the counter.
///
/// The counter stops replay: a request names it, and every change adds one. It never falls.
public struct AccountLife: Equatable, Sendable {
  /// The seconds after which an enrolment that was not confirmed expires: 24 hours.
  public static let confirmationTime: UInt64 = 86_400
  /// The distance by which an import raises the counter, so that no earlier request fits again.
  public static let importDistance: UInt64 = 1 << 32

  /// The phases of an account.
  public enum Phase: Hashable, Sendable {
    /// Created at this time, not confirmed yet.
    case unconfirmed(since: UInt64)
    /// In use.
    case confirmed
    /// Retired, forever.
    case retired
  }

  /// The phase.
  public private(set) var phase: Phase
  /// The counter that the next request must name.
  public private(set) var counter: UInt64

  /// Begins an enrolment.
  ///
  /// - Parameter now: the time in Unix seconds.
  public init(createdAt now: UInt64) { self.init(.unconfirmed(since: now), counter: 0) }

  /// Takes up a stored state.
  public init(_ phase: Phase, counter: UInt64) {
    self.phase = phase
    self.counter = counter
  }

  /// Whether the owner has confirmed it, and it was not retired.
  public var isConfirmed: Bool { phase == .confirmed }

  /// Whether the enrolment was not confirmed in time.
  public func isExpired(at now: UInt64) -> Bool {
    guard case .unconfirmed(let since) = phase, now >= since else { return false }
    return now - since >= Self.confirmationTime
  }

  /// Refuses an account that ended.
  ///
  /// - Throws: ``GuardRefusal/disabled``.
  public func requireLive(at now: UInt64) throws(GuardRefusal) {
    if phase == .retired || isExpired(at: now) { throw .disabled }
  }

  /// Refuses another counter than the account's.
  ///
  /// - Throws: ``GuardRefusal/disabled``, ``GuardRefusal/counter(_:)``.
  func require(counter: UInt64, at now: UInt64) throws(GuardRefusal) {
    try requireLive(at: now)
    guard counter == self.counter else { throw .counter(self.counter) }
  }

  /// Counts a change.
  mutating func advance() { counter = Self.sum(counter, 1) }

  /// Confirms the enrolment; again is the same.
  mutating func confirm(counter: UInt64, at now: UInt64) throws(GuardRefusal) {
    try require(counter: counter, at: now)
    phase = .confirmed
    advance()
  }

  /// Ends the account; again is the same.
  mutating func retire() { phase = .retired }

  /// Moves the time of an enrolment that lies later to now.
  mutating func acceptClock(_ now: UInt64) {
    if case .unconfirmed(let since) = phase { phase = .unconfirmed(since: min(since, now)) }
  }

  /// Raises the counter after a move to another computer.
  mutating func imported(at now: UInt64) {
    counter = Self.sum(counter, Self.importDistance)
    acceptClock(now)
  }

  /// The sum, at most what a message can carry.
  private static func sum(_ counter: UInt64, _ step: UInt64) -> UInt64 {
    min(counter.addingReportingOverflow(step).partialValue, UInt64(Int64.max))
  }
}
