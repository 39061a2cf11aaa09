import CSPP
import GuardTestSupport
import RistrettoVOPRF
import Testing

@testable import GuardProtocol

@Suite("PIN accounts")
struct PINAccountTests {
  /// An account with its key, and a count of what the key computed.
  private struct Guard: ~Copyable {
    var account: PINAccount
    let key: OPRFKey
    var computed = 0

    init(_ schedule: DelaySchedule = .pin) throws {
      account = PINAccount(schedule, createdAt: 1000)
      key = try guardKey()
    }

    /// Enrolled and confirmed.
    static func enrolled(_ schedule: DelaySchedule = .pin) throws -> Guard {
      var one = try Guard(schedule)
      _ = try one.ask(0, counter: 0, at: 1000)
      try one.account.confirm(counter: 1, at: 1000)
      return one
    }

    mutating func ask(
      _ number: Int, counter: UInt64, at now: UInt64
    ) throws -> PINAccount.Evaluation {
      let blinded = try element(number)
      let answer = try key.evaluate([blinded])
      var called = 0
      defer { computed += called }
      let (evaluation, isNew) = try account.evaluate(blinded, counter: counter, at: now) {
        called += 1
        return answer
      }
      #expect(isNew == (called == 1))
      return evaluation
    }

    /// The refusal of a try, which must leave the account as it was.
    mutating func refused(_ number: Int, counter: UInt64, at now: UInt64) -> GuardRefusal? {
      let (account, computed) = (account, computed)
      do {
        _ = try ask(number, counter: counter, at: now)
        return nil
      } catch {
        #expect(self.account == account && self.computed == computed)
        return error as? GuardRefusal
      }
    }
  }

  @Test func `Exact repetition is free, whenever it comes`() throws {
    var own = try Guard.enrolled()
    let first = try own.ask(1, counter: 2, at: 2000)
    let after = own.account
    for now in [2000, 2001, 5_000_000, 0] as [UInt64] {
      let again = try own.ask(1, counter: 2, at: now)
      #expect(again == first)
    }
    let (account, computed) = (own.account, own.computed)
    #expect(account == after)
    #expect(computed == 2)
    // Neither another element nor another counter is a repetition.
    #expect(own.refused(2, counter: 2, at: 2000) == .counter(3))
    #expect(own.refused(1, counter: 4, at: 2000) == .counter(3))
    #expect(own.refused(1, counter: 1, at: 2000) == .counter(3))
    // The same element with the next counter costs a try, and ends the earlier repetition.
    _ = try own.ask(1, counter: 3, at: 2000)
    let left = own.account.limiter.triesLeft
    #expect(left == 18)
    #expect(own.refused(1, counter: 2, at: 2000) == .counter(4))
  }

  @Test func `A repetition is answered even when the next try is too early, or none is left`()
    throws
  {
    var own = try Guard.enrolled()
    var now: UInt64 = 2000
    for number in 1...20 {
      now = max(now, own.account.limiter.notBefore ?? now)
      let first = try own.ask(number, counter: UInt64(number) + 1, at: now)
      let again = try own.ask(number, counter: UInt64(number) + 1, at: now)
      #expect(first == again)
    }
    let left = own.account.limiter.triesLeft
    #expect(left == 0)
    #expect(own.refused(21, counter: 22, at: .max) == .usedUp)
    let last = try own.ask(20, counter: 21, at: .max)
    #expect(last.counter == 21)
  }

  @Test func `Before it is confirmed, one evaluation; a day later, nothing`() throws {
    var own = try Guard()
    _ = try own.ask(1, counter: 0, at: 1000)
    #expect(own.refused(2, counter: 1, at: 1000) == .unconfirmed)
    _ = try own.ask(1, counter: 0, at: 1000)
    var early = own.account
    #expect(
      refusal { () throws(GuardRefusal) in try early.reset(counter: 1, at: 1000) } == .unconfirmed)
    let isExpired = (own.account.life.isExpired(at: 87_399), own.account.life.isExpired(at: 87_400))
    #expect(isExpired == (false, true))
    #expect(own.refused(1, counter: 0, at: 87_400) == .disabled)
    #expect(
      refusal { () throws(GuardRefusal) in try early.confirm(counter: 1, at: 87_400) } == .disabled)
    try early.confirm(counter: 1, at: 87_399)
    #expect(!early.life.isExpired(at: .max))
    // A clock that was set back expires nothing.
    #expect(!own.account.life.isExpired(at: 0))
  }

  @Test func `Confirming leaves the owner all 20, with the evaluation or without`() throws {
    var own = try Guard()
    try own.account.confirm(counter: 0, at: 1000)
    let account = own.account
    #expect(account.limiter.triesLeft == 20)
    #expect(account.life.counter == 1)
    let enrolled = try Guard.enrolled()
    let other = enrolled.account
    #expect(other.limiter.triesLeft == 20)
    // Confirming again, after tries were spent, gives none back.
    _ = try own.ask(1, counter: 1, at: 1000)
    try own.account.confirm(counter: 2, at: 1000)
    let left = own.account.limiter.triesLeft
    #expect(left == 19)
  }

  @Test func `A reset gives the tries back and no counter`() throws {
    var own = try Guard.enrolled()
    for counter in 2...5 as ClosedRange<UInt64> {
      _ = try own.ask(1, counter: counter, at: 2000 + 20 * counter)
    }
    let spent = own.account
    #expect(spent.limiter.triesLeft == 16)
    var replayed = spent
    #expect(
      refusal { () throws(GuardRefusal) in try replayed.reset(counter: 5, at: 3000) } == .counter(6)
    )
    #expect(replayed == spent)
    try own.account.reset(counter: 6, at: 3000)
    let account = own.account
    #expect(account.limiter.triesLeft == 20)
    #expect(account.life.counter == 7)
    // The same request again is a replay.
    #expect(
      refusal { () throws(GuardRefusal) in try own.account.reset(counter: 6, at: 3000) }
        == .counter(7))
    // The last answer went with the reset.
    #expect(own.refused(1, counter: 5, at: 3000) == .counter(7))
    _ = try own.ask(1, counter: 7, at: 3000)
  }

  @Test func `Even a used-up account can be reset, a retired one cannot`() throws {
    var own = try Guard.enrolled()
    own.account = PINAccount(
      life: own.account.life, limiter: DelayLimiter(.pin, tries: 21, timer: 2000))
    #expect(own.refused(1, counter: 2, at: .max) == .usedUp)
    try own.account.reset(counter: 2, at: 3000)
    let left = own.account.limiter.triesLeft
    #expect(left == 20)
    own.account.retire()
    own.account.retire()
    #expect(own.refused(1, counter: 3, at: 4000) == .disabled)
    #expect(
      refusal { () throws(GuardRefusal) in try own.account.reset(counter: 3, at: 4000) }
        == .disabled)
    #expect(
      refusal { () throws(GuardRefusal) in try own.account.confirm(counter: 3, at: 4000) }
        == .disabled)
    let last = own.account.last
    #expect(last == nil)
  }

  @Test func `An accepted clock moves later timers to now, and no others`() throws {
    var own = try Guard.enrolled()
    for counter in 2...4 as ClosedRange<UInt64> {
      _ = try own.ask(1, counter: counter, at: 5_000_000)
    }
    #expect(own.refused(1, counter: 5, at: 3000) == .tooEarly(notBefore: 5_000_010))
    own.account.acceptClock(3000)
    let account = own.account
    #expect(account.limiter.notBefore == 3010)
    #expect(account.limiter.triesLeft == 17)
    own.account.acceptClock(9000)
    let same = own.account
    #expect(same == account)
    // The day of an enrolment that was begun under a wrong clock begins now.
    var young = PINAccount(.pin, createdAt: 5_000_000)
    young.acceptClock(3000)
    #expect(!young.life.isExpired(at: 89_399))
    #expect(young.life.isExpired(at: 89_400))
  }

  @Test(arguments: DelaySchedule.allCases)
  func `An import leaves three tries at most, until a reset`(_ schedule: DelaySchedule) throws {
    var own = try Guard.enrolled(schedule)
    _ = try own.ask(1, counter: 2, at: 2000)
    own.account.imported(at: 10_000)
    let account = own.account
    #expect(account.limiter.triesLeft == 3)
    #expect(account.limiter.timer == 10_000)
    #expect(account.life.counter == 3 + 1 << 32)
    // No request of before fits, not even the last one again.
    #expect(own.refused(1, counter: 2, at: 1_000_000) == .counter(3 + 1 << 32))
    try own.account.reset(counter: 3 + 1 << 32, at: 1_000_000)
    let left = own.account.limiter.triesLeft
    #expect(left == schedule.tries)
    // One with fewer left keeps them.
    var spent = PINAccount(
      life: AccountLife(.confirmed, counter: 9),
      limiter: DelayLimiter(schedule, tries: schedule.tries + 1, timer: 5))
    spent.imported(at: 10_000)
    #expect(spent.limiter.triesLeft == 0)
  }

  @Test func `The counter ends where messages end, and does not fall`() throws {
    var life = AccountLife(.confirmed, counter: UInt64(Int64.max) - 1)
    life.imported(at: 0)
    #expect(life.counter == UInt64(Int64.max))
    life.advance()
    #expect(life.counter == UInt64(Int64.max))
  }

  @Test func `An answer that cannot be computed costs nothing`() throws {
    let own = try Guard.enrolled()
    var account = own.account
    let blinded = try element(1)
    let refused = refusal { () throws(GuardRefusal) in
      try account.evaluate(blinded, counter: 2, at: 2000) {
        () throws(VOPRFError) in throw .invalidElement
      }
    }
    #expect(refused == .malformed)
    let before = own.account
    #expect(account == before)
  }
}
