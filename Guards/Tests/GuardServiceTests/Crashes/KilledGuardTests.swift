import CSPP
import Foundation
import GuardProtocol
import GuardTestSupport
import RistrettoVOPRF
import SecretMemory
import TestSupport
import Testing

@testable import GuardService

/// A guard that is killed at any moment: a try that was given is counted, and an answer that was
/// paid for is not lost, because its client asks again.
@Suite(.serialized) struct KilledGuardTests {
  /// The kills at random times; `KEYBACKUP_GUARD_KILLS` raises it.
  private static func kills(_ kind: StoreKind) -> Int {
    ProcessInfo.processInfo.environment["KEYBACKUP_GUARD_KILLS"].flatMap { Int($0) }
      ?? (kind == .sqlite ? 40 : 20)
  }

  @Test(arguments: [[], ["--half"]])
  func `killed at every call that changes a file`(_ half: [String]) throws {
    let client = try ProbeClient(.sqlite)
    var at = 1
    while true {
      let (killed, answer) = try client.evaluate(
        after: [
          BuiltProduct.path("crash-at"), "--under", client.folder, "--at", "\(at)",
        ] + half + ["--"])
      try client.settle(answer)
      if !killed { break }
      at += 1
    }
    // Opening, committing and closing change files.
    #expect(at > 8, "\(at)")
    print("killed at \(at - 1) calls")
  }

  @Test(arguments: [[], ["--half"]])
  func `a server key whose making was interrupted is whole, or not there`(
    _ half: [String]
  ) throws {
    var isMade = false
    var at = 0
    while !isMade {
      at += 1
      let folder = "/tmp/guard-key-\(UUID().uuidString)"
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let path = folder + "/server-key"
      let run = try FinishedProgram(
        [BuiltProduct.path("crash-at"), "--under", folder, "--at", "\(at)"] + half
          + ["--", BuiltProduct.path("guard-probe"), "key", path])
      isMade = run.code == 0
      try #require(isMade || run.code == 137, "\(run.code): \(run.output)")
      // The next start makes a key where there is none, and only there.
      let isThere = FileManager.default.fileExists(atPath: path)
      _ = isThere ? try ServerKey.load(path).guardID : try ServerKey.create(path).guardID
      if isMade {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(isThere && names == ["server-key"])
      }
    }
    // It is created, written, synced, linked; the other name goes, and the folder is synced.
    #expect(at > 6, "\(at)")
  }

  @Test(arguments: StoreKind.allCases)
  func `killed at random times`(_ kind: StoreKind) throws {
    let client = try ProbeClient(kind)
    var random = SeededGenerator(seed: TestSeed.value)
    let clock = ContinuousClock()
    var longest = Duration.zero
    for _ in 0..<3 {
      longest = max(longest, try clock.measure { try client.settle(try client.evaluate().answer) })
    }
    let limit = Double(longest.components.attoseconds) / 1e18 + Double(longest.components.seconds)
    var killed = 0
    var answered = 0
    for _ in 0..<Self.kills(kind) {
      let seconds = Double.random(in: 0.001...limit / 2, using: &random)
      let run = try client.evaluate(after: ["/usr/bin/timeout", "-s", "KILL", "\(seconds)"])
      if run.killed { killed += 1 }
      if run.answer != nil { answered += 1 }
      try client.settle(run.answer)
    }
    print("\(kind): \(killed) killed, \(answered) of the answers came before")
    #expect(killed > 0)
  }
}

/// A client of `guard-probe` that remembers what it was given.
private final class ProbeClient {
  let place: StorePlace
  private let kind: StoreKind
  private let ask: GuardSigner
  private let reset: GuardSigner
  private let guardID: GuardID
  private var counter: UInt64 = 0
  private var number = 0

  struct Wrong: Error { let text: String }

  init(_ kind: StoreKind) throws {
    self.kind = kind
    place = try kind.place()
    ask = try GuardSigner(seed: .random(count: 32))
    reset = try GuardSigner(seed: .random(count: 32))
    guardID = try ServerKey(secret([UInt8](repeating: 7, count: 32))).guardID
    let owner = try GuardSigner(seed: .random(count: 32)).publicKey
    let create = CreateAccountRequest(
      invite: nil, resetKey: reset.publicKey, ownerKey: owner, kind: .pin(.pin))
    _ = try send([line(.createAccount, create.body)])
    _ = try send([line(.confirm, CounterRequest(account: account, counter: 0).body)])
    counter = 1
  }

  private var account: GuardAccountID { GuardAccountID(of: ask.publicKey) }

  var folder: String { URL(filePath: place.url).deletingLastPathComponent().path }

  /// Sends a try to a guard that `words` may kill.
  ///
  /// - Returns: whether it was killed, and its answer.
  func evaluate(
    after words: [String] = []
  ) throws -> (killed: Bool, answer: String?) {
    number += 1
    let run = try send([try evaluation()], after: words, mayEnd: true)
    return (run.code == 137, run.output.split(separator: "\n").first.map { String($0) })
  }

  /// Repeats the try, and compares it with the answer that came before; exactly one try is spent.
  func settle(_ answer: String?) throws {
    let request = AccountRequest(account: account)
    let output = try send([try evaluation(), line(.status, request.body)]).output
    let lines = output.split(separator: "\n").map { String($0) }
    try #require(lines.count == 2, "\(output)")
    if let answer { #expect(lines[0] == answer) }
    #expect(lines[0].hasPrefix("200 "))
    let state = try Self.message(lines[1], AccountAnswer.self)
    #expect(state.counter == counter + 1)
    guard case .tries(let left, _) = state.detail, left == 19 else {
      throw Wrong(text: "\(state)")
    }
    // The tries come back, so that there is no wait.
    let back = CounterRequest(account: account, counter: counter + 1)
    let done = try send([line(.reset, back.body)]).output
    counter = try Self.message(String(done.dropLast()), AccountAnswer.self).counter
  }

  private static func message<Message: GuardMessage>(
    _ line: String, _ type: Message.Type
  ) throws -> Message {
    let parts = line.split(separator: " ")
    guard parts.count == 2, parts[0] == "200" else { throw Wrong(text: line) }
    return try unsafe Message(parsing: unhex(String(parts[1])).span.bytes)
  }

  private func evaluation() throws -> String {
    let request = EvaluateRequest(
      account: account, counter: counter, element: try element(number))
    return line(.evaluate, request.body)
  }

  private func line(_ call: GuardCall, _ body: [UInt8]) -> String {
    let signature =
      call.signer == .reset
      ? GuardSignature(call, body: body, guardID: guardID, by: reset)
      : GuardSignature(call, body: body, guardID: guardID, by: ask)
    return "\(call.path) \(signature.key.hex) \(signature.signatureText) \(Hex.string(body))"
  }

  private func send(
    _ lines: [String], after words: [String] = [], mayEnd: Bool = false
  ) throws -> FinishedProgram {
    let file = "/tmp/guard-requests-\(UUID().uuidString)"
    try lines.joined(separator: "\n").write(toFile: file, atomically: false, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: file) }
    let kind = kind == .sqlite ? "sqlite" : "postgresql"
    let run = try FinishedProgram(
      words + [BuiltProduct.path("guard-probe"), kind, place.url, file])
    guard run.code == 0 || mayEnd && run.code == 137 else {
      throw Wrong(text: "\(run.code): \(run.output)")
    }
    return run
  }
}
