public import CSPP

/// The limiter of one account: how many tries were spent, and when the next is allowed.
///
/// Its arithmetic is that of Celo's sequential delay (celo-org/social-connect,
/// `packages/common/src/domains/sequential-delay.ts`).
public struct DelayLimiter: Equatable, Sendable {
  /// The tries that an import leaves at most.
  public static let importedTries = 3

  /// The schedule.
  public let schedule: DelaySchedule
  /// The tries spent, with the set-up's.
  public private(set) var tries: Int
  /// The time from which the next wait counts, in Unix seconds.
  public private(set) var timer: UInt64

  /// Starts with nothing spent.
  public init(_ schedule: DelaySchedule) { self.init(schedule, tries: 0, timer: 0) }

  /// Takes up a stored state.
  ///
  /// - Parameters:
  ///   - schedule: the schedule.
  ///   - tries: the tries spent; beyond the schedule's end they count as all.
  ///   - timer: in Unix seconds.
  public init(_ schedule: DelaySchedule, tries: Int, timer: UInt64) {
    self.schedule = schedule
    self.tries = min(max(tries, 0), schedule.total)
    self.timer = timer
  }

  /// The tries that are left.
  public var triesLeft: Int { schedule.total - tries }

  /// The earliest time of the next try; nil when none is left.
  public var notBefore: UInt64? {
    schedule.step(at: tries).map { timer.addingReportingOverflow($0.delay) }
      .map { $0.overflow ? .max : $0.partialValue }
  }

  /// Spends a try.
  ///
  /// - Parameter now: the time in Unix seconds.
  /// - Throws: ``GuardRefusal/tooEarly(notBefore:)``, ``GuardRefusal/usedUp``; the state is then
  ///   unchanged.
  public mutating func spend(at now: UInt64) throws(GuardRefusal) {
    guard let step = schedule.step(at: tries), let notBefore else { throw .usedUp }
    guard now >= notBefore else { throw .tooEarly(notBefore: notBefore) }
    tries += 1
    timer = step.resetsTimer ? now : notBefore
  }

  /// Gives the tries back, all but the set-up's, to someone who opened the backup.
  mutating func reset() { tries = 1 }

  /// Moves a timer that lies later to now, after a person has set the clock.
  mutating func acceptClock(_ now: UInt64) { timer = min(timer, now) }

  /// Leaves few tries after a move to another computer, whose copy may be an old one.
  mutating func imported(at now: UInt64) {
    tries = max(tries, schedule.total - Self.importedTries)
    timer = now
  }
}
