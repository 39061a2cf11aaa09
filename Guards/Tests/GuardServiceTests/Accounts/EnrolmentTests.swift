import CSPP
import GuardProtocol
import GuardTestSupport
import RistrettoVOPRF
import SecretMemory
import Testing

@testable import GuardService

/// New accounts and invites.
@Suite struct EnrolmentTests {
  @Test(arguments: StoreKind.allCases)
  func `a repeated create has the same answer and spends its invite once`(
    _ kind: StoreKind
  ) async throws {
    let service = try await GuardUnderTest(kind, wantsInvites: true)
    let invite = try await service.accounts.createInvite()
    let owner = try TestOwner(service)
    let first = await owner.create(invite: invite)
    #expect(first.status == 200)
    #expect(await owner.create(invite: invite) == first)
    let again = try owner.at(try await service.restarted(wantsInvites: true))
    #expect(await again.create(invite: invite) == first)
    let other = try TestOwner(again.service)
    #expect(await other.create(invite: invite).refusal == .unauthorised)
    #expect(await other.create(invite: nil).refusal == .unauthorised)
    #expect(await other.create(invite: "0").refusal == .unauthorised)
    // Other terms for the same ask key.
    #expect(await again.create(.password, invite: invite).refusal == .counter(0))
    #expect(try await service.place.open().counts().invites == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `an invite that was taken back lets nobody in, and the others stay`(
    _ kind: StoreKind
  ) async throws {
    let service = try await GuardUnderTest(kind, wantsInvites: true)
    var invites: [String] = []
    for _ in 0..<3 { invites.append(try await service.accounts.createInvite()) }
    try await service.accounts.takeBack(Array(invites[..<2]))
    #expect(try await service.accounts.store.counts().invites == 1)
    let owner = try TestOwner(service)
    #expect(await owner.create(invite: invites[0]).refusal == .unauthorised)
    #expect(await owner.create(invite: invites[2]).status == 200)
    // One that was spent, or taken back before, is no error.
    try await service.accounts.takeBack(invites)
    #expect(await owner.create(invite: invites[2]).status == 200)
  }

  @Test(arguments: StoreKind.allCases)
  func `100 creates with one invite make one account`(_ kind: StoreKind) async throws {
    let service = try await GuardUnderTest(kind, wantsInvites: true)
    let invite = try await service.accounts.createInvite()
    let owners = try (0..<100).map { _ in try TestOwner(service) }
    let statuses = await withTaskGroup(of: Int.self) { group in
      for owner in owners { group.addTask { await owner.create(invite: invite).status } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.count { $0 == 200 } == 1)
    #expect(statuses.count { $0 == 401 } == 99)
    let counts = try await service.accounts.store.counts()
    #expect(counts.unconfirmed == 1)
    #expect(counts.invites == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `an ask key that is the reset or the owner key is refused`(
    _ kind: StoreKind
  ) async throws {
    let service = try await GuardUnderTest(kind)
    let owner = try TestOwner(service)
    for (reset, owning) in [
      (owner.ask.publicKey, owner.owner.publicKey), (owner.reset.publicKey, owner.ask.publicKey),
      (owner.reset.publicKey, owner.reset.publicKey),
    ] {
      let request = CreateAccountRequest(
        invite: nil, resetKey: reset, ownerKey: owning, kind: .pin(.pin))
      let answer = await service.ask(.createAccount, request, by: owner.ask)
      #expect(answer.refusal == .malformed)
    }
    #expect(await owner.status().refusal == .unknown)
  }

  @Test(arguments: StoreKind.allCases)
  func `an enrolment that was not confirmed in 24 hours is over for good`(
    _ kind: StoreKind
  ) async throws {
    let service = try await GuardUnderTest(kind)
    let asked = try TestOwner(service)
    let swept = try TestOwner(service)
    for owner in [asked, swept] { #expect(await owner.create().status == 200) }
    service.time.pass(86_399)
    #expect(await asked.status().status == 200)
    service.time.pass(1)
    for owner in [asked, swept] {
      #expect(await owner.status().refusal == .disabled)
      #expect(await owner.create().refusal == .disabled)
      #expect(await owner.confirm(0).refusal == .disabled)
    }
    // A clock that goes back does not bring it back, and its share is gone.
    service.time.jump(-10_000)
    let again = try await service.restarted()
    _ = try await again.accounts.acceptClock()
    for owner in [asked, swept] {
      #expect(await (try owner.at(again)).create().refusal == .disabled)
      let store = again.accounts.store
      #expect(try await store.find(owner.account).account?.share == nil)
      #expect(try await store.events(of: owner.account).map(\.event) == [.created, .expired])
    }
    #expect(try await again.accounts.store.counts().ended == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `the last 32 events of an account are kept`(_ kind: StoreKind) async throws {
    let service = try await GuardUnderTest(kind)
    let owner = try TestOwner(service)
    var counter = try await owner.enrolled()
    for round in 0..<40 {
      counter = try await owner.evaluate(counter, try element(round)).read(EvaluateAnswer.self)
        .counter
      counter = try await owner.reset(counter).read(AccountAnswer.self).counter
      service.time.pass(1)
    }
    let events = try await service.accounts.store.events(of: owner.account)
    #expect(events.count == 32)
    #expect(events.map(\.event) == (0..<16).flatMap { _ in [.tried, .reset] })
    #expect(events.map(\.time).sorted() == events.map(\.time))
    #expect(events.last?.time == service.time.now - 1)
  }

  @Test func `the guard's description is signed`() async throws {
    let service = try await GuardUnderTest(.sqlite)
    let answer = await service.accounts.answer(.info, body: [], key: nil, signature: nil)
    let info = try answer.read(GuardInfo.self)
    #expect(info.guardID == service.accounts.guardID)
    let signature = try GuardSignature(
      key: try #require(answer.key), signature: try #require(answer.signature))
    try signature.verify(.info, body: answer.body, guardID: info.guardID)
    #expect(signature.key == info.guardKey)
  }
}
