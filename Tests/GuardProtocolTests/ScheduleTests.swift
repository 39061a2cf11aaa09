import CSPP
import Testing

@testable import GuardProtocol

/// Celo's two schedules in simulated time.
@Suite("Delay schedules")
struct ScheduleTests {
  /// The times of all accepted tries of someone who asks in every second.
  private func fastest(_ schedule: DelaySchedule, until end: UInt64) -> [UInt64] {
    var limiter = DelayLimiter(schedule)
    var times: [UInt64] = []
    for now in 0...end {
      while refusal({ () throws(GuardRefusal) in try limiter.spend(at: now) }) == nil {
        times.append(now)
      }
    }
    return times
  }

  @Test func `The PIN's schedule at its fastest, to the second`() {
    // The set-up, then 20 tries in 72.9 hours.
    let expected: [UInt64] = [
      0, 0, 0, 0, 10, 10, 40, 100, 400, 1300, 3100, 89_500, 89_500, 89_510, 89_540, 89_600,
      176_000, 176_010, 176_040, 262_440, 262_450,
    ]
    #expect(fastest(.pin, until: 400_000) == expected)
    #expect(DelaySchedule.pin.tries == 20)
  }

  @Test func `The password's schedule at its fastest, to the second`() {
    var expected: [UInt64] = [0, 0, 0, 0, 0, 0]
    var time: UInt64 = 0
    for delay in [5, 30, 300, 3600, 86_400] as [UInt64] {
      for _ in 0..<10 {
        time += delay
        expected += [time, time]
      }
    }
    #expect(time == 903_350)
    #expect(fastest(.password, until: 1_000_000) == expected)
    #expect(DelaySchedule.password.tries == 105)
  }

  @Test(arguments: DelaySchedule.allCases)
  func `A second earlier is too early, and tells when`(_ schedule: DelaySchedule) {
    var limiter = DelayLimiter(schedule, tries: 0, timer: 1_000_000)
    while let notBefore = limiter.notBefore {
      let before = limiter
      #expect(
        refusal { () throws(GuardRefusal) in try limiter.spend(at: notBefore - 1) }
          == .tooEarly(notBefore: notBefore))
      #expect(limiter == before)
      #expect(refusal { () throws(GuardRefusal) in try limiter.spend(at: notBefore) } == nil)
      #expect(limiter.triesLeft == before.triesLeft - 1)
    }
    #expect(limiter.triesLeft == 0)
    #expect(refusal { () throws(GuardRefusal) in try limiter.spend(at: .max) } == .usedUp)
  }

  @Test func `Who comes late has waited for the next where Celo's timer is not reset`() throws {
    // Six tries are spent: the seventh waits 30 s, the eighth 60 s more, without a reset.
    var limiter = DelayLimiter(.pin, tries: 6, timer: 100)
    #expect(limiter.notBefore == 130)
    try limiter.spend(at: 1000)
    #expect(limiter.notBefore == 190)
    try limiter.spend(at: 1000)
    #expect(limiter.notBefore == 490)
    // With a reset, the wait counts from the try.
    var other = DelayLimiter(.pin, tries: 10, timer: 100)
    #expect(other.notBefore == 1900)
    try other.spend(at: 5000)
    #expect(other.notBefore == 5000 + 86_400)
  }

  @Test func `The bound on guesses`() throws {
    func bound(_ guards: Int, _ needed: Int, _ attackers: Int) throws -> Int {
      try GuardThreshold(guards: guards, needed: needed)
        .guesses(tries: DelaySchedule.pin.tries, attackers: attackers)
    }
    #expect(try bound(1, 1, 0) == 20)
    #expect(try bound(3, 2, 0) == 30)
    #expect(try bound(3, 2, 1) == 40)
    #expect(try bound(5, 3, 0) == 33)
    #expect(try bound(5, 3, 1) == 40)
    #expect(try bound(5, 3, 2) == 60)
    for attackers in [-1, 3, 4] {
      #expect(throws: GuardProtocolError.invalidParameter("attackers")) {
        try bound(5, 3, attackers)
      }
    }
    #expect(throws: GuardProtocolError.invalidParameter("tries")) {
      try GuardThreshold(guards: 1, needed: 1).guesses(tries: -1)
    }
  }

  @Test func `Stored numbers beyond all bounds do no harm`() {
    let late = DelayLimiter(.pin, tries: 6, timer: .max)
    #expect(late.notBefore == .max)
    #expect(DelayLimiter(.pin, tries: .max, timer: 0).triesLeft == 0)
    #expect(DelayLimiter(.pin, tries: -5, timer: 0).triesLeft == 21)
  }
}
