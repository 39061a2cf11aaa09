import CSPP
import GuardTestSupport
import Testing

@testable import GuardProtocol

@Suite("Releases of a share")
struct ReleaseTests {
  private static let day: UInt64 = 86_400

  private func account(_ delay: UInt64 = day) throws -> LoginAccount {
    var account = LoginAccount(try ReleaseDelay(delay), createdAt: 0)
    try account.confirm(counter: 0, at: 0)
    return account
  }

  private func collect(
    _ account: inout LoginAccount, _ key: X25519Key, at now: UInt64, _ box: [UInt8] = [1]
  ) -> (box: [UInt8]?, refused: GuardRefusal?) {
    do throws(GuardRefusal) {
      return (try account.collect(key, at: now) { box }, nil)
    } catch {
      return (nil, error)
    }
  }

  @Test func `It can be collected from 24 to 72 hours after its start, the same each time`() throws
  {
    var account = try account()
    let key = try sessionKey(1)
    let release = try account.begin(key, at: 1000)
    #expect(release.notBefore == 1000 + Self.day)
    #expect(release.end == 1000 + 3 * Self.day)
    let early = GuardRefusal.tooEarly(notBefore: release.notBefore)
    #expect(collect(&account, key, at: 1000).refused == early)
    #expect(collect(&account, key, at: release.notBefore - 1).refused == early)
    #expect(collect(&account, key, at: release.notBefore, [7]).box == [7])
    #expect(collect(&account, key, at: release.end - 1, [8]).box == [7])
    #expect(collect(&account, key, at: release.end).refused == .unknown)
    // Another login starts another one, with its own delay.
    let again = try account.begin(key, at: release.end)
    #expect(again.start == release.end)
    #expect(again.sealed == nil)
  }

  @Test func `Another login with the same session key changes nothing`() throws {
    var account = try account()
    let key = try sessionKey(1)
    let first = try account.begin(key, at: 1000)
    #expect(try account.begin(key, at: 50_000) == first)
    #expect(account.pending.count == 1)
  }

  @Test func `A thief under the owner's request gets nothing`() throws {
    var account = try account()
    let (owner, thief) = (try sessionKey(1), try sessionKey(2))
    _ = try account.begin(owner, at: 0)
    // A day later the owner's can be collected; the thief's login of now cannot.
    _ = try account.begin(thief, at: Self.day)
    #expect(collect(&account, thief, at: Self.day).refused == .tooEarly(notBefore: 2 * Self.day))
    #expect(collect(&account, try sessionKey(3), at: Self.day).refused == .unknown)
    #expect(collect(&account, owner, at: Self.day, [5]).box == [5])
    // The owner sees it and ends it; nothing brings it back.
    #expect(AccountAnswer(account, at: Self.day).detail.releaseIDs.contains(ReleaseID(of: thief)))
    try account.veto(ReleaseID(of: thief), at: Self.day)
    #expect(collect(&account, thief, at: 3 * Self.day).refused == .disabled)
    #expect(
      refusal { () throws(GuardRefusal) in try account.begin(thief, at: 9 * Self.day) } == .disabled
    )
    #expect(!AccountAnswer(account, at: Self.day).detail.releaseIDs.contains(ReleaseID(of: thief)))
  }

  @Test func `A veto that comes before the release holds too`() throws {
    // At a guard that was down when the release began elsewhere.
    var account = try account()
    let key = try sessionKey(4)
    try account.veto(ReleaseID(of: key), at: 10)
    try account.veto(ReleaseID(of: key), at: 10)
    #expect(refusal { () throws(GuardRefusal) in try account.begin(key, at: 20) } == .disabled)
  }

  @Test func `With one of three guards down, a veto at two is enough`() throws {
    let threshold = try GuardThreshold(guards: 3, needed: 2)
    let key = try sessionKey(5)
    var guards = [try account(), try account(), try account()]
    for index in guards.indices { _ = try guards[index].begin(key, at: 0) }
    #expect(threshold.blocking == 2)
    for index in 0..<threshold.blocking { try guards[index].veto(ReleaseID(of: key), at: 100) }
    let given = guards.indices.filter { collect(&guards[$0], key, at: Self.day).box != nil }
    #expect(given.count < threshold.needed)
  }

  @Test func `An accepted clock and an import end what is pending, and no veto`() throws {
    let (one, two) = (try sessionKey(1), try sessionKey(2))
    for change in [0, 1] {
      var account = try account()
      _ = try account.begin(one, at: 0)
      try account.veto(ReleaseID(of: two), at: 0)
      if change == 0 { account.acceptClock(1000) } else { account.imported(at: 1000) }
      #expect(collect(&account, one, at: Self.day).refused == .unknown)
      #expect(refusal { () throws(GuardRefusal) in try account.begin(two, at: 2000) } == .disabled)
      #expect(try account.begin(one, at: 2000).start == 2000)
    }
  }

  @Test func `At most 16 are pending; those that ended make room`() throws {
    var account = try account()
    for byte in 1...16 as ClosedRange<UInt8> {
      _ = try account.begin(sessionKey(byte), at: UInt64(byte))
    }
    let next = try sessionKey(17)
    #expect(refusal { () throws(GuardRefusal) in try account.begin(next, at: 100) } == .tooMany)
    #expect(try account.begin(next, at: 3 * Self.day + 1).id == ReleaseID(of: next))
    #expect(account.pending.count == 16)
  }

  @Test func `An account with 1,024 vetoes begins no release that could not be vetoed`() throws {
    let key = try sessionKey(1)
    let vetoed = Set((1..<LoginAccount.maximumVetoed).map { _ in ReleaseID.random() })
    var account = LoginAccount(
      life: try account().life, delay: try ReleaseDelay(0), vetoed: vetoed)
    let first = try account.begin(key, at: 0)
    try account.veto(ReleaseID(of: try sessionKey(2)), at: 0)
    #expect(account.vetoed.count == LoginAccount.maximumVetoed)
    let next = try sessionKey(3)
    #expect(refusal { () throws(GuardRefusal) in try account.begin(next, at: 0) } == .tooMany)
    #expect(try account.begin(key, at: 1) == first)
    try account.veto(first.id, at: 1)
    #expect(collect(&account, key, at: 2).refused == .disabled)
    // No release of this key can begin any more, so nothing has to be kept of it.
    try account.veto(ReleaseID(of: next), at: 2)
    #expect(account.vetoed.count == LoginAccount.maximumVetoed + 1)
    #expect(collect(&account, next, at: 2).refused == .unknown)
  }

  @Test func `Without delay it can be collected at once, for 48 hours`() throws {
    var account = try account(0)
    let key = try sessionKey(1)
    let release = try account.begin(key, at: 7)
    #expect(collect(&account, key, at: 7).box == [1])
    #expect(release.end == 7 + 2 * Self.day)
  }

  @Test func `No release before the confirmation, after the end, or to a key without a secret`()
    throws
  {
    let key = try sessionKey(1)
    var young = LoginAccount(try ReleaseDelay(), createdAt: 0)
    #expect(refusal { () throws(GuardRefusal) in try young.begin(key, at: 0) } == .unconfirmed)
    #expect(collect(&young, key, at: 0).refused == .unconfirmed)
    #expect(refusal { () throws(GuardRefusal) in try young.begin(key, at: Self.day) } == .disabled)
    var old = try account()
    #expect(refusal { () throws(GuardRefusal) in try old.begin(.of(0), at: 0) } == .malformed)
    _ = try old.begin(key, at: 0)
    old.retire()
    #expect(collect(&old, key, at: Self.day).refused == .disabled)
    #expect(refusal { () throws(GuardRefusal) in try old.begin(key, at: 0) } == .disabled)
    #expect(refusal { () throws(GuardRefusal) in try old.veto(.of(1), at: 0) } == .disabled)
  }

  @Test func `Delays of none to 30 days; times at the end of the numbers do no harm`() throws {
    for seconds in [0, 1, 86_400, 2_592_000] as [UInt64] { _ = try ReleaseDelay(seconds) }
    for seconds in [2_592_001, .max] as [UInt64] {
      #expect(throws: GuardProtocolError.invalidParameter("delay")) { try ReleaseDelay(seconds) }
    }
    let late = ShareRelease(sessionKey: .of(1), start: .max, delay: try ReleaseDelay(2_592_000))
    #expect(late.end > late.notBefore)
  }
}

extension AccountAnswer.Detail {
  fileprivate var releaseIDs: [ReleaseID] {
    switch self {
    case .tries: []
    case .releases(let releases): releases.map(\.release)
    }
  }
}
