import CSPP
import GuardProtocol
import GuardTestSupport
import Testing

@testable import GuardService

/// The guard's clock, and a person who accepts it.
@Suite struct ClockTests {
  @Test(arguments: StoreKind.allCases, [-61, 61, 1_000_000, -1_000_000] as [Int64])
  func `a jump while it runs halts every process until a person accepts`(
    _ kind: StoreKind, _ jump: Int64
  ) async throws {
    let service = try await GuardUnderTest(kind)
    let other = try await GuardUnderTest(service.place, service.time)
    let owner = try TestOwner(service)
    let there = try owner.at(other)
    let counter = try await owner.enrolled()
    let login = try TestOwner(service)
    _ = try await login.createLogin(session: sessionKey(1))
    #expect(await login.confirm(0).status == 200)
    let release = try await login.release(try sessionKey(2)).read(ReleaseAnswer.self)
    #expect(await there.status().status == 200)
    service.time.jump(jump)
    for owner in [owner, there] {
      #expect(await owner.evaluate(counter, try element(1)).refusal == .clock)
      #expect(await owner.reset(counter).refusal == .clock)
      #expect(await owner.confirm(counter).refusal == .clock)
      #expect(await (try TestOwner(owner.service)).create().refusal == .clock)
      #expect(await (try login.at(owner.service)).release(try sessionKey(3)).refusal == .clock)
      #expect(await (try login.at(owner.service)).collect(try sessionKey(2)).refusal == .clock)
      #expect(await owner.status().status == 200)
    }
    #expect(await login.veto(release.release).status == 200)
    #expect(await service.accounts.state().isClockHalted)
    // A restart does not help.
    let restarted = try await service.restarted()
    #expect(await (try owner.at(restarted)).evaluate(counter, try element(1)).refusal == .clock)
    // Another process accepts.
    #expect(
      try await GuardUnderTest(service.place, service.time).accounts.acceptClock()
        == service.time.now)
    #expect(await !other.accounts.state().isClockHalted)
    #expect(await there.evaluate(counter, try element(1)).status == 200)
    #expect(await (try owner.at(restarted)).reset(counter + 1).status == 200)
    // The next jump is noticed too.
    service.time.jump(100)
    #expect(await there.evaluate(counter + 2, try element(1)).refusal == .clock)
    #expect(await there.retire().status == 200)
  }

  @Test(arguments: StoreKind.allCases)
  func `small steps of one minute in all are let pass, more are not`(
    _ kind: StoreKind
  ) async throws {
    let service = try await GuardUnderTest(kind)
    let owner = try TestOwner(service)
    var counter = try await owner.enrolled()
    for step in 1...3 as ClosedRange<Int64> {
      service.time.jump(20)
      service.time.pass(1000)
      counter = try await owner.evaluate(counter, try element(Int(step)))
        .read(EvaluateAnswer.self).counter
    }
    service.time.jump(1)
    #expect(await owner.evaluate(counter, try element(9)).refusal == .clock)
  }

  @Test(arguments: StoreKind.allCases)
  func `a start before the stored time halts`(_ kind: StoreKind) async throws {
    let service = try await GuardUnderTest(kind)
    let owner = try TestOwner(service)
    let counter = try await owner.enrolled()
    service.time.pass(1000)
    #expect(await owner.status().status == 200)
    service.time.jump(-1)
    let restarted = try await service.restarted()
    let again = try owner.at(restarted)
    #expect(await again.evaluate(counter, try element(1)).refusal == .clock)
    _ = try await restarted.accounts.acceptClock()
    #expect(await again.evaluate(counter, try element(1)).status == 200)
  }

  @Test(arguments: StoreKind.allCases)
  func `accepting moves timers that lie later to now, and voids pending releases`(
    _ kind: StoreKind
  ) async throws {
    let service = try await GuardUnderTest(kind)
    let owner = try TestOwner(service)
    var counter = try await owner.enrolled()
    // To a place of the schedule whose timer starts at the try.
    for number in 0..<5 {
      service.time.pass(10)
      counter = try await owner.evaluate(counter, try element(number)).read(EvaluateAnswer.self)
        .counter
    }
    let login = try TestOwner(service)
    _ = try await login.createLogin(delay: 0, session: sessionKey(1))
    #expect(await login.confirm(0).status == 200)
    #expect(await login.release(try sessionKey(2)).status == 200)
    #expect(await login.veto(ReleaseID(of: try sessionKey(9))).status == 200)
    let fresh = try TestOwner(service)
    #expect(await fresh.create().status == 200)
    let store = service.accounts.store
    var before: [StoredAccount] = []
    for owner in [owner, login, fresh] {
      before.append(try #require(try await store.find(owner.account).account))
    }
    service.time.jump(-500_000)
    #expect(await owner.evaluate(counter, try element(0)).refusal == .clock)
    let now = try await service.accounts.acceptClock()
    for old in before {
      // The database's statement does what the values do.
      let account = try #require(try await store.find(old.id).account)
      switch (old.state, account.state) {
      case (.pin(var old), .pin(let account)):
        old.acceptClock(now)
        #expect(account == old)
      case (.login(var old), .login(let account)):
        old.acceptClock(now)
        #expect(account == old)
        #expect(account.vetoed.count == 1)
      default: Issue.record("another kind")
      }
    }
    #expect(await login.collect(try sessionKey(2)).refusal == .unknown)
  }

  @Test func `PostgreSQL's own clock is used where several processes serve a guard`() async throws {
    let place = try StoreKind.postgreSQL.place()
    let time = TestTime()
    let accounts = try await GuardAccountService(
      store: try await place.open(usesServersClock: true),
      key: try ServerKey(secret([UInt8](repeating: 7, count: 32))), clock: time.clock)
    let accepted = try await accounts.acceptClock()
    let system = GuardClock.system.wall()
    #expect(accepted + 60 > system && accepted < system + 60)
    #expect(await !accounts.state().isClockHalted)
    // This process's own clock does not count any more, only the one that nobody can set.
    time.jump(-100_000)
    #expect(await !accounts.state().isClockHalted)
    time.pass(1000)
    #expect(await accounts.state().isClockHalted)
  }
}
