import CSPP
import GuardProtocol
import GuardTestSupport
import SecretMemory
import Testing

@testable import GuardService

/// The calls of login accounts.
@Suite struct LoginCallTests {
  /// An account that is in use, and its share.
  private func enrolled(
    _ kind: StoreKind, delay: UInt64 = 86_400
  ) async throws -> (owner: TestOwner, share: [UInt8]) {
    let owner = try TestOwner(await GuardUnderTest(kind))
    let created = try await owner.createLogin(delay: delay, session: sessionKey(1))
      .read(CreateAccountAnswer.self)
    let share = try open(created.part, 1)
    #expect(await owner.confirm(created.counter).status == 200)
    return (owner, share)
  }

  private func open(_ part: CreateAccountAnswer.Part, _ byte: UInt8) throws -> [UInt8] {
    guard case .sealed(let box) = part else { throw GuardStoreError.damaged("part") }
    return array(try SealedBox.open(box, secret: secret([UInt8](repeating: byte, count: 32))))
  }

  @Test(arguments: StoreKind.allCases)
  func `a share comes after the delay, the same bytes each time, until the window ends`(
    _ kind: StoreKind
  ) async throws {
    let (owner, share) = try await enrolled(kind)
    let session = try sessionKey(2)
    #expect(await owner.collect(session).refusal == .unknown)
    let release = try await owner.release(session).read(ReleaseAnswer.self)
    #expect(release.notBefore == TestTime.start + 86_400)
    #expect(try await owner.release(session).read(ReleaseAnswer.self) == release)
    #expect(await owner.collect(session).refusal == .tooEarly(notBefore: release.notBefore))
    owner.service.time.pass(86_399)
    #expect(await owner.collect(session).refusal == .tooEarly(notBefore: release.notBefore))
    owner.service.time.pass(1)
    let first = await owner.collect(session)
    let again = try owner.at(try await owner.service.restarted())
    #expect(await again.collect(session) == first)
    let box = try first.read(CollectAnswer.self).sealed
    #expect(try open(.sealed(box), 2) == share)
    owner.service.time.pass(172_800)
    #expect(await again.collect(session).refusal == .unknown)
  }

  @Test(arguments: StoreKind.allCases)
  func `a veto ends a release, and its session key stays refused`(
    _ kind: StoreKind
  ) async throws {
    let (owner, _) = try await enrolled(kind)
    let session = try sessionKey(2)
    let release = try await owner.release(session).read(ReleaseAnswer.self)
    let state = try await owner.status().read(AccountAnswer.self)
    #expect(state.detail == .releases([release]))
    #expect(await owner.veto(release.release).status == 200)
    #expect(await owner.veto(release.release).status == 200)
    owner.service.time.pass(90_000)
    let again = try owner.at(try await owner.service.restarted())
    #expect(await again.collect(session).refusal == .disabled)
    #expect(await again.release(session).refusal == .disabled)
    // A new login starts a new one.
    #expect(await again.release(try sessionKey(3)).status == 200)
  }

  @Test(arguments: StoreKind.allCases)
  func `another person's login, or one for another key, begins nothing`(
    _ kind: StoreKind
  ) async throws {
    let (owner, _) = try await enrolled(kind, delay: 0)
    let service = owner.service
    let session = try sessionKey(4)
    #expect(await owner.release(session, subject: "eve").refusal == .malformed)
    for token in [
      TokenOfTests.token("anna", owner.keyID, try sessionKey(5)),
      TokenOfTests.token("anna", .random(), session),
      TokenOfTests.token("anna", owner.keyID, session, client: "other"), "token",
    ] {
      let request = ReleaseRequest(account: owner.account, idToken: token, sessionKey: session)
      #expect(await service.ask(.release, request, by: owner.ask).refusal == .malformed)
    }
    #expect(await owner.collect(session).refusal == .unknown)
    // A thief who has the folder shows the owner's login, but the share is sealed to its key.
    #expect(await owner.release(session).status == 200)
    #expect(await owner.collect(try sessionKey(6)).refusal == .unknown)
    #expect(await owner.collect(session).status == 200)
  }

  @Test(arguments: StoreKind.allCases)
  func `a create is repeated until it is confirmed, and never leaves out the delay`(
    _ kind: StoreKind
  ) async throws {
    let owner = try TestOwner(await GuardUnderTest(kind))
    let first = try await owner.createLogin(session: sessionKey(1)).read(CreateAccountAnswer.self)
    let second = try await owner.createLogin(session: sessionKey(2))
      .read(CreateAccountAnswer.self)
    #expect(try open(first.part, 1) == open(second.part, 2))
    #expect(
      await (try owner.createLogin(subject: "eve", session: sessionKey(3))).refusal
        == .counter(0))
    #expect(await owner.release(try sessionKey(2)).refusal == .unconfirmed)
    #expect(await owner.confirm(0).status == 200)
    #expect(await (try owner.createLogin(session: sessionKey(1))).refusal == .counter(1))
  }

  @Test(arguments: StoreKind.allCases)
  func `after its end nothing is left of an account's login`(_ kind: StoreKind) async throws {
    let (retired, _) = try await enrolled(kind)
    let service = retired.service
    let asked = try TestOwner(service)
    let swept = try TestOwner(service)
    for owner in [asked, swept] {
      #expect(await (try owner.createLogin(session: sessionKey(1))).status == 200)
    }
    #expect(await retired.release(try sessionKey(2)).status == 200)
    for _ in 0..<2 { #expect(await retired.retire().status == 200) }
    service.time.pass(86_400)
    #expect(await asked.status().refusal == .disabled)
    let store = service.accounts.store
    let rows = try await store.database.read { session throws(GuardStoreError) in
      try session.run("SELECT subject, key_id, client_id, pending FROM accounts", [])
    }
    #expect(rows.count == 3)
    for var row in rows {
      for _ in 0..<3 { #expect(try row.next() == .null) }
      #expect(try row.next() == .bytes([]))
    }
    let again = try await service.restarted()
    for owner in [retired, asked, swept] {
      let owner = try owner.at(again)
      #expect(try await again.accounts.store.find(owner.account).account?.login == nil)
      #expect(await owner.release(try sessionKey(3)).refusal == .disabled)
      #expect(await owner.status().refusal == .disabled)
      #expect(await (try owner.createLogin(session: sessionKey(1))).refusal == .disabled)
    }
    // An account in use that lacks it is damaged.
    let (used, _) = try await enrolled(kind)
    try await used.service.accounts.store.database.write { session throws(GuardStoreError) in
      _ = try session.run("UPDATE accounts SET key_id = NULL", [])
    }
    #expect(await used.status().status == 500)
  }

  @Test(arguments: StoreKind.allCases)
  func `no more than 16 releases are pending, and after 1,024 vetoes none begins`(
    _ kind: StoreKind
  ) async throws {
    let (owner, _) = try await enrolled(kind)
    for byte in 1...16 as ClosedRange<UInt8> {
      #expect(await owner.release(try sessionKey(byte)).status == 200)
    }
    #expect(await owner.release(try sessionKey(17)).refusal == .tooMany)
    let store = owner.service.accounts.store
    let found = try await store.find(owner.account)
    let old = try #require(found.account)
    var account = old
    let vetoed = Set((0..<LoginAccount.maximumVetoed).map { _ in ReleaseID.random() })
    guard case .login(let login) = old.state else {
      Issue.record("a login account")
      return
    }
    account.state = .login(
      LoginAccount(life: login.life, delay: login.delay, pending: login.pending, vetoed: vetoed))
    #expect(
      try await store.replace(old, by: account, .vetoed, in: found.row, at: TestTime.start)
        == .done)
    #expect(try await store.find(owner.account).account?.state == account.state)
    // Those that began before can all be vetoed, and are refused from then on.
    for byte in 1...16 as ClosedRange<UInt8> {
      #expect(await owner.veto(ReleaseID(of: try sessionKey(byte))).status == 200)
      #expect(await owner.collect(try sessionKey(byte)).refusal == .disabled)
    }
    #expect(await owner.release(try sessionKey(17)).refusal == .tooMany)
    // A veto of one that never begins here is in force without a place.
    let kept = try await store.find(owner.account).account?.state
    #expect(await owner.veto(ReleaseID(of: try sessionKey(17))).status == 200)
    #expect(await owner.veto(try #require(vetoed.first)).status == 200)
    #expect(try await store.find(owner.account).account?.state == kept)
  }
}
