import CSPP
import GuardProtocol
import GuardTestSupport
import TestSupport
import Testing

@testable import GuardService

/// Requests that nobody should make.
@Suite struct HostileInputTests {
  @Test(arguments: StoreKind.allCases)
  func `any bytes are answered with a refusal, and change nothing`(
    _ kind: StoreKind
  ) async throws {
    let service = try await GuardUnderTest(kind)
    let owner = try TestOwner(service)
    let counter = try await owner.enrolled()
    let before = try await service.accounts.store.find(owner.account)
    var random = SeededGenerator(seed: TestSeed.value)
    let valid = [
      AccountRequest(account: owner.account).body,
      CounterRequest(account: owner.account, counter: counter + 1).body,
      EvaluateRequest(account: owner.account, counter: counter + 1, element: try element(1)).body,
      CollectRequest(account: owner.account, sessionKey: try sessionKey(1)).body,
    ]
    let calls = GuardCall.allCases.filter { $0 != .info && $0 != .status && $0 != .retire }
    for _ in 0..<2000 {
      let call = calls.randomElement(using: &random) ?? .evaluate
      var body = valid.randomElement(using: &random) ?? []
      if Bool.random(using: &random) {
        body = random.bytes(Int.random(in: 0...200, using: &random))
      } else {
        body[Int.random(in: 0..<body.count, using: &random)] = random.bytes(1)[0]
      }
      // Signed rightly, so that the body is read.
      let answer =
        if call.signer == .ask {
          await service.send(call, body, by: owner.ask)
        } else {
          await service.send(call, body, by: owner.reset)
        }
      #expect([404, 409, 422].contains(answer.status), "\(call) \(answer)")
    }
    #expect(try await service.accounts.store.find(owner.account).account == before.account)
  }

  @Test func `a request without a right signature is refused before anything else`() async throws {
    let service = try await GuardUnderTest(.sqlite)
    let owner = try TestOwner(service)
    _ = try await owner.enrolled()
    let body = AccountRequest(account: owner.account).body
    let right = GuardSignature(
      .status, body: body, guardID: service.accounts.guardID, by: owner.ask)
    let elsewhere = GuardSignature(.status, body: body, guardID: .random(), by: owner.ask)
    let text = right.signatureText
    for (call, body, key, signature) in [
      (.status, body, nil, text), (.status, body, right.key.hex, nil),
      (.status, body, right.key.hex, String(text.dropLast(2))),
      (.status, body, right.key.hex, String(repeating: "0", count: 128)),
      (.status, body, String(repeating: "0", count: 64), text),
      (.status, body, right.key.hex.uppercased(), text),
      (.status, body + [32], right.key.hex, text), (.evaluate, body, right.key.hex, text),
      (.status, body, right.key.hex, elsewhere.signatureText),
      (.status, body, owner.reset.publicKey.hex, text),
    ] as [(GuardCall, [UInt8], String?, String?)] {
      let answer = await service.accounts.answer(
        call, body: body, key: key, signature: signature)
      #expect(answer.refusal == .unauthorised)
    }
    let large = [UInt8](repeating: 32, count: GuardCall.maximumBodySize + 1)
    let signed = GuardSignature(
      .status, body: large, guardID: service.accounts.guardID, by: owner.ask)
    #expect(
      await service.accounts.answer(
        .status, body: large, key: signed.key.hex, signature: signed.signatureText
      ).refusal == .malformed)
  }
}
