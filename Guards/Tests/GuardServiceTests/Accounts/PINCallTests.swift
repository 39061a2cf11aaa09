import CSPP
import GuardProtocol
import GuardTestSupport
import RistrettoVOPRF
import SecretMemory
import Testing

@testable import GuardService

/// The calls of PIN accounts, on every kind of database.
@Suite struct PINCallTests {
  @Test(arguments: StoreKind.allCases)
  func `an enrolment gives a key whose proofs hold, and after it all tries`(
    _ kind: StoreKind
  ) async throws {
    let owner = try TestOwner(await GuardUnderTest(kind))
    let created = try await owner.create().read(CreateAccountAnswer.self)
    guard case .oprfKey(let key) = created.part else {
      Issue.record("no OPRF key")
      return
    }
    #expect(created.account == owner.account)
    let input = try BlindedInput(secret(Array("pin".utf8)), mode: .verifiable)
    let answer = try await owner.evaluate(created.counter, input.element)
      .read(EvaluateAnswer.self)
    _ = try answer.proof.verify(
      blinded: [input.element], evaluated: [answer.element], publicKey: key)
    // One evaluation is enough to enrol.
    #expect(await owner.evaluate(answer.counter, try element(1)).refusal == .unconfirmed)
    let state = try await owner.confirm(answer.counter).read(AccountAnswer.self)
    #expect(state.phase == .confirmed)
    #expect(state.detail == .tries(left: 20, notBefore: TestTime.start))
    #expect(try await owner.status().read(AccountAnswer.self) == state)
  }

  @Test(arguments: StoreKind.allCases)
  func `the last request costs nothing when it is repeated, also after a restart`(
    _ kind: StoreKind
  ) async throws {
    let service = try await GuardUnderTest(kind)
    let owner = try TestOwner(service)
    let counter = try await owner.enrolled()
    let first = await owner.evaluate(counter, try element(1))
    #expect(first.status == 200)
    #expect(await owner.evaluate(counter, try element(1)) == first)
    let again = try owner.at(try await service.restarted())
    #expect(await again.evaluate(counter, try element(1)) == first)
    // Another element with the same counter is no repetition.
    #expect(await again.evaluate(counter, try element(2)).refusal == .counter(counter + 1))
    let state = try await again.status().read(AccountAnswer.self)
    #expect(state.counter == counter + 1)
    #expect(state.detail == .tries(left: 19, notBefore: TestTime.start))
  }

  @Test(arguments: StoreKind.allCases)
  func `of 1,000 requests with one counter exactly one is accepted`(
    _ kind: StoreKind
  ) async throws {
    let service = try await GuardUnderTest(kind)
    let other = try await GuardUnderTest(service.place, service.time)
    let owner = try TestOwner(service)
    let counter = try await owner.enrolled()
    let there = try owner.at(other)
    let answers = try await withThrowingTaskGroup(of: GuardAnswer.self) { group in
      for number in 0..<1000 {
        let element = try element(number)
        group.addTask {
          await (number.isMultiple(of: 2) ? owner : there).evaluate(counter, element)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count { $0.status == 200 } == 1)
    #expect(answers.count { $0.refusal == .counter(counter + 1) } == 999)
    let state = try await owner.status().read(AccountAnswer.self)
    guard case .tries(left: 19, _) = state.detail else {
      Issue.record("\(state)")
      return
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the schedule is kept across restarts, and a reset gives the tries back`(
    _ kind: StoreKind
  ) async throws {
    var service = try await GuardUnderTest(kind)
    var owner = try TestOwner(service)
    var counter = try await owner.enrolled()
    var spent = 0
    while true {
      let answer = await owner.evaluate(counter, try element(spent))
      switch answer.refusal {
      case nil:
        counter = try answer.read(EvaluateAnswer.self).counter
        spent += 1
      case .tooEarly(let notBefore):
        #expect(notBefore > service.time.now)
        service.time.pass(notBefore - service.time.now)
        service = try await service.restarted()
        owner = try owner.at(service)
        continue
      case let refusal:
        #expect(refusal == .usedUp)
        #expect(spent == 20)
        let state = try await owner.reset(counter).read(AccountAnswer.self)
        #expect(state.counter == counter + 1)
        #expect(await owner.reset(counter).refusal == .counter(counter + 1))
        #expect(await owner.evaluate(counter + 1, try element(0)).status == 200)
        return
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a key of the wrong role or account is answered like an unknown one`(
    _ kind: StoreKind
  ) async throws {
    let service = try await GuardUnderTest(kind)
    let owner = try TestOwner(service)
    let counter = try await owner.enrolled()
    let thief = try TestOwner(service)
    _ = try await thief.enrolled()
    let account = AccountRequest(account: owner.account)
    let count = CounterRequest(account: owner.account, counter: counter)
    let element = EvaluateRequest(
      account: owner.account, counter: counter, element: try element(1))
    let unknown = AccountRequest(account: .random())
    let expected = await service.ask(.status, unknown, by: thief.ask)
    #expect(expected.refusal == .unknown)
    for answer in [
      await service.ask(.status, account, by: thief.ask),
      await service.ask(.status, account, by: owner.owner),
      await service.ask(.evaluate, element, by: thief.ask),
      await service.ask(.evaluate, element, by: owner.reset),
      await service.ask(.reset, count, by: owner.ask),
      await service.ask(.reset, count, by: owner.owner),
      await service.ask(.confirm, count, by: thief.reset),
      await service.ask(.retire, account, by: owner.ask),
      await service.ask(.retire, account, by: owner.reset),
      await service.ask(.retire, account, by: thief.owner),
      await owner.veto(.random()), await owner.release(try sessionKey(1)),
      await owner.collect(try sessionKey(1)),
    ] { #expect(answer == expected) }
    #expect(try await owner.status().read(AccountAnswer.self).phase == .confirmed)
  }

  @Test(arguments: StoreKind.allCases)
  func `a retired account stays ended, and holds nothing any more`(
    _ kind: StoreKind
  ) async throws {
    let service = try await GuardUnderTest(kind)
    let owner = try TestOwner(service)
    let counter = try await owner.enrolled()
    #expect(try await owner.retire().read(AccountAnswer.self).phase == .retired)
    #expect(try await owner.retire().read(AccountAnswer.self).phase == .retired)
    let again = try owner.at(try await service.restarted())
    for answer in [
      await again.status(), await again.create(), await again.confirm(counter),
      await again.reset(counter), await again.evaluate(counter, try element(1)),
    ] { #expect(answer.refusal == .disabled) }
    let found = try await again.service.accounts.store.find(owner.account)
    #expect(found.account?.share == nil)
  }
}

extension TestOwner {
  /// Creates and confirms.
  ///
  /// - Returns: the counter for the next request.
  func enrolled(_ schedule: DelaySchedule = .pin) async throws -> UInt64 {
    let created = try await create(schedule).read(CreateAccountAnswer.self)
    return try await confirm(created.counter).read(AccountAnswer.self).counter
  }
}
