import CSPP
import Foundation
import GuardProtocol
import GuardTestSupport
import RistrettoVOPRF
import SecretMemory
import TestSupport
import Testing

@testable import GuardService

@Suite("The calls, over TLS, to the real program")
struct ServedCallsTests {
  private static let element = unhex(
    "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76")

  /// Enrols an account, and returns its counter.
  private func enrol(_ served: ServedGuard, _ account: borrowing TestAccount) async throws -> UInt64
  {
    let created: CreateAccountAnswer = try await served.call(
      .createAccount, account.pinRequest(), by: account.ask
    ).read()
    let confirm = CounterRequest(account: account.id, counter: created.counter)
    let confirmed: AccountAnswer = try await served.call(.confirm, confirm, by: account.reset)
      .read()
    return confirmed.counter
  }

  @Test func `A PIN account lives: created, evaluated, confirmed, asked, reset, retired`()
    async throws
  {
    let served = try await ServedGuard.start()
    let account = try TestAccount(1)
    let created: CreateAccountAnswer = try await served.call(
      .createAccount, account.pinRequest(), by: account.ask
    ).read()
    #expect(created.account == account.id)
    guard case .oprfKey(let key) = created.part else { throw Missing("the OPRF key") }
    // A real evaluation: blinded, with its proof.
    let blinded = try BlindedInput(secret(Array("x".utf8)), mode: .verifiable)
    let request = EvaluateRequest(
      account: account.id, counter: created.counter, element: blinded.element)
    let evaluated: EvaluateAnswer = try await served.call(.evaluate, request, by: account.ask)
      .read()
    let proved = try evaluated.proof.verify(
      blinded: [blinded.element], evaluated: [evaluated.element], publicKey: key)
    #expect(proved.count == 1)
    // Its repetition is free, and the same.
    let again: EvaluateAnswer = try await served.call(.evaluate, request, by: account.ask).read()
    #expect(again == evaluated)
    let confirm = CounterRequest(account: account.id, counter: evaluated.counter)
    let confirmed: AccountAnswer = try await served.call(.confirm, confirm, by: account.reset)
      .read()
    #expect(confirmed.phase == .confirmed)
    let status: AccountAnswer = try await served.call(
      .status, AccountRequest(account: account.id), by: account.ask
    ).read()
    guard case .tries(20, _) = status.detail else { throw Missing("20 tries: \(status)") }
    let reset: AccountAnswer = try await served.call(
      .reset, CounterRequest(account: account.id, counter: status.counter), by: account.reset
    ).read()
    #expect(reset.counter > status.counter)
    let retired: AccountAnswer = try await served.call(
      .retire, AccountRequest(account: account.id), by: account.owner
    ).read()
    #expect(retired.phase == .retired)
    let late = try await served.call(.evaluate, request, by: account.ask)
    #expect(late.status == 410)
    #expect(await served.end() == 0)
  }

  @Test func `A login account lives: created, released, collected, vetoed`() async throws {
    let issuer = try TestIssuer()
    let idp = try await TestIssuerServer.start { path, base in
      TestIssuerServer.text(path == "/keys" ? issuer.keySet : TestIssuerServer.description(base))
    }
    let served = try await ServedGuard.start([
      "--open", "--issuer", idp.base, "--client-id", TestIssuer.client,
    ])
    let account = try TestAccount(2)
    let session = SecretBytes.random(count: 32)
    let sessionKey = try #require(X25519Key(bytes: try X25519.publicKey(of: session)))
    let keyID = KeyID(words: SIMD2(1, 2))
    func token(_ subject: String, for key: X25519Key) throws -> String {
      let now = UInt64(Date().timeIntervalSince1970)
      return try issuer.token(
        TestIssuer.claims([
          "iss": #""\#(idp.base)""#, "sub": #""\#(subject)""#, "exp": "\(now + 3_600)",
          "iat": "\(now)", "auth_time": "\(now)",
          "nonce": #""\#(LoginNonce.text(keyID: keyID, sessionKey: key))""#,
        ]))
    }
    func create() async throws -> ServedGuard.Answer {
      let login = CreateAccountRequest.Login(
        keyID: keyID, clientID: TestIssuer.client, delay: try ReleaseDelay(0),
        idToken: try token("somebody-in-particular", for: sessionKey), sessionKey: sessionKey)
      let request = CreateAccountRequest(
        invite: nil, resetKey: account.reset.publicKey, ownerKey: account.owner.publicKey,
        kind: .login(login))
      return try await served.call(.createAccount, request, by: account.ask)
    }
    // On a busy machine the issuer may answer later than a guard waits; the guard asks it again after 5 s.
    var answer: ServedGuard.Answer?
    try await waitUntil("the guard knows the issuer's keys", every: .seconds(6)) {
      answer = try await create()
      return answer?.status == 422 ? answer?.text : nil
    }
    let created: CreateAccountAnswer = try #require(answer).read()
    guard case .sealed(let box) = created.part else { throw Missing("a sealed share") }
    let share = array(try SealedBox.open(box, secret: session))
    _ = try await served.call(
      .confirm, CounterRequest(account: account.id, counter: created.counter), by: account.reset
    ).read(AccountAnswer.self)

    // Somebody else's login, and a token for another session key, begin nothing.
    for wrong in [
      try token("somebody-else", for: sessionKey),
      try token("somebody-in-particular", for: .init(words: SIMD4(9, 0, 0, 0))), "a.b.c",
    ] {
      let request = ReleaseRequest(account: account.id, idToken: wrong, sessionKey: sessionKey)
      #expect(try await served.call(.release, request, by: account.ask).status == 422)
    }
    let release: ReleaseAnswer = try await served.call(
      .release,
      ReleaseRequest(
        account: account.id, idToken: try token("somebody-in-particular", for: sessionKey),
        sessionKey: sessionKey), by: account.ask
    ).read()
    let collect = CollectRequest(account: account.id, sessionKey: sessionKey)
    let collected: CollectAnswer = try await served.call(.collect, collect, by: account.ask).read()
    #expect(array(try SealedBox.open(collected.sealed, secret: session)) == share)
    let veto = VetoRequest(account: account.id, release: release.release)
    _ = try await served.call(.veto, veto, by: account.owner).read(AccountAnswer.self)
    #expect(try await served.call(.collect, collect, by: account.ask).status == 410)

    // Nobody finds the person in what the guard keeps or writes.
    #expect(await served.end() == 0)
    for name in try FileManager.default.contentsOfDirectory(atPath: served.folder.path)
    where name != "tls" {
      let bytes = try Data(contentsOf: URL(filePath: served.folder.path + "/" + name))
      for text in ["somebody-in-particular", "127.0.0.1", TestIssuer.nonce] {
        #expect(bytes.range(of: Data(text.utf8)) == nil, "\(name) has \(text)")
      }
    }
  }

  @Test func `info is signed by the guard, and names what it was given`() async throws {
    let served = try await ServedGuard.start([
      "--url", "https://guard.example", "--issuer", "https://idp.example", "--client-id", "c",
    ])
    let (answer, headers) = try await served.request("GET", "/v1/info")
    let info: GuardInfo = try answer.read()
    #expect(info.urls == ["https://guard.example"] && info.issuers == ["https://idp.example"])
    #expect(info.guardID == served.guardID)
    let signature = try GuardSignature(
      key: try #require(headers[GuardSignature.keyHeader.lowercased()]),
      signature: try #require(headers[GuardSignature.signatureHeader.lowercased()]))
    #expect(signature.key == info.guardKey)
    try signature.verify(.info, body: answer.body, guardID: served.guardID)
  }

  @Test func `An invite makes one account, and without one there is none`() async throws {
    let folder = try TestFolder()
    let served = try await ServedGuard.start([], in: folder)
    let one = try TestAccount(3)
    let two = try TestAccount(4)
    #expect(try await served.call(.createAccount, one.pinRequest(), by: one.ask).status == 401)
    // Beside the running server.
    let made = try FinishedProgram([ServedGuard.program, "invite", "--state", folder.path])
    #expect(made.code == 0)
    let invite = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(invite.count == 26)
    #expect(
      try await served.call(.createAccount, one.pinRequest(invite: invite), by: one.ask).status
        == 200)
    #expect(
      try await served.call(.createAccount, two.pinRequest(invite: invite), by: two.ask).status
        == 401)
    let database = try Data(contentsOf: URL(filePath: folder.path + "/guard.sqlite"))
    #expect(database.range(of: Data(invite.utf8)) == nil)
  }

  @Test func `Unknown account, wrong role and another's key get the same bytes`() async throws {
    let served = try await ServedGuard.start()
    let one = try TestAccount(5)
    let two = try TestAccount(6)
    let nobody = try TestAccount(7)
    let counter = try await enrol(served, one)
    _ = try await enrol(served, two)
    let point = try RistrettoElement(Self.element)
    func evaluate(_ id: GuardAccountID) -> EvaluateRequest {
      EvaluateRequest(account: id, counter: counter, element: point)
    }
    let unknown = try await served.call(.evaluate, evaluate(nobody.id), by: nobody.ask)
    #expect(unknown.status == 404)
    let refused = [
      try await served.call(.evaluate, evaluate(one.id), by: nobody.ask),
      try await served.call(.evaluate, evaluate(one.id), by: two.ask),
      try await served.call(.evaluate, evaluate(one.id), by: one.reset),
      try await served.call(.evaluate, evaluate(one.id), by: one.owner),
      try await served.call(.status, AccountRequest(account: one.id), by: one.owner),
      try await served.call(.status, AccountRequest(account: nobody.id), by: one.ask),
      try await served.call(
        .reset, CounterRequest(account: one.id, counter: counter), by: one.ask),
      try await served.call(
        .confirm, CounterRequest(account: nobody.id, counter: 0), by: nobody.reset),
      try await served.call(.retire, AccountRequest(account: one.id), by: one.ask),
      try await served.call(
        .veto, VetoRequest(account: one.id, release: ReleaseID(words: .zero)), by: one.reset),
    ]
    for answer in refused { #expect(answer == unknown) }
    // None of it cost a try.
    let status: AccountAnswer = try await served.call(
      .status, AccountRequest(account: one.id), by: one.ask
    ).read()
    guard case .tries(20, _) = status.detail else { throw Missing("20 tries: \(status)") }
  }

  @Test func `A wrong signature is refused alike, whether there is an account or not`() async throws
  {
    let served = try await ServedGuard.start()
    let one = try TestAccount(8)
    let nobody = try TestAccount(9)
    _ = try await enrol(served, one)
    var answers: [ServedGuard.Answer] = []
    for id in [one.id, nobody.id] {
      let body = AccountRequest(account: id).body
      let good = GuardSignature(.status, body: body, guardID: served.guardID, by: one.ask)
      let key = (GuardSignature.keyHeader, good.key.hex)
      let name = GuardSignature.signatureHeader
      // For another call, another guard, another body; not hexadecimal; missing; twice.
      let other = GuardSignature(.retire, body: body, guardID: served.guardID, by: one.ask)
      let foreign = GuardSignature(.status, body: body, guardID: GuardID(words: .zero), by: one.ask)
      let changed = GuardSignature(.status, body: body + [32], guardID: served.guardID, by: one.ask)
      let sets: [[(String, String)]] = [
        [key, (name, other.signatureText)], [key, (name, foreign.signatureText)],
        [key, (name, changed.signatureText)], [key, (name, good.signatureText.uppercased())],
        [key, (name, "")], [key], [(name, good.signatureText)], [],
        [key, key, (name, good.signatureText)],
        [key, (name, good.signatureText), (name, good.signatureText)],
        [
          (GuardSignature.keyHeader, String(repeating: "0", count: 64)), (name, good.signatureText),
        ],
      ]
      for headers in sets {
        answers.append(
          try await served.request("POST", "/v1/status", body: body, headers: headers).answer)
      }
    }
    #expect(answers.allSatisfy { $0 == answers[0] && $0.status == 401 })
  }

  @Test func `Bodies that are no message are refused, signed or not`() async throws {
    let served = try await ServedGuard.start()
    let account = try TestAccount(10)
    for text in ["", "{", "[]", "null", "{}", #"{"account":7}"#, #"{"account":"00"}"#, "\u{0}"] {
      for call in GuardCall.allCases where call != .info {
        let body = Array(text.utf8)
        let signature = GuardSignature(call, body: body, guardID: served.guardID, by: account.ask)
        let answer = try await served.request(
          "POST", call.path, body: body,
          headers: [
            (GuardSignature.keyHeader, signature.key.hex),
            (GuardSignature.signatureHeader, signature.signatureText),
          ]
        ).answer
        #expect(answer.status == 422, "\(call) \(text)")
        #expect(try await served.request("POST", call.path, body: body).answer.status == 401)
      }
    }
    for (method, path) in [
      ("GET", "/v1/status"), ("POST", "/v1/info"), ("POST", "/v1/status/"), ("GET", "/"),
      ("POST", "/v1/status?a=b"), ("PUT", "/v1/status"), ("GET", "/v1/../v1/info"),
      ("GET", "/v1/%69nfo"), ("DELETE", "/v1/accounts"),
    ] {
      let answer = try await served.request(method, path).answer
      #expect(answer.status == 404, "\(method) \(path)")
      // A client does not take it for the answer about an account.
      #expect(answer.text == #"{"error":"no_such_path"}"#, "\(method) \(path)")
    }
  }

  @Test func `A guard that starts again is the same guard, with the same accounts`() async throws {
    let folder = try TestFolder()
    let first = try await ServedGuard.start(in: folder)
    let account = try TestAccount(11)
    let counter = try await enrol(first, account)
    #expect(await first.end() == 0)
    let second = try await ServedGuard.start(in: folder)
    #expect(second.guardID == first.guardID)
    let status: AccountAnswer = try await second.call(
      .status, AccountRequest(account: account.id), by: account.ask
    ).read()
    #expect(status.counter == counter && status.phase == .confirmed)
    // Killed, without a chance to say goodbye.
    second.send(signal: SIGKILL)
    _ = await second.end(terminating: false)
    let third = try await ServedGuard.start(in: folder)
    let again: AccountAnswer = try await third.call(
      .status, AccountRequest(account: account.id), by: account.ask
    ).read()
    #expect(again == status)
  }

  @Test func `The log has the reason of a refusal, and none of an ordinary answer`() async throws {
    let closed = try await ServedGuard.start([])
    let guest = try TestAccount(14)
    for invite in [nil, "0123456789abcdefghjkmnpqrs"] {
      let refused = try await closed.call(
        .createAccount, guest.pinRequest(invite: invite), by: guest.ask)
      #expect(refused.status == 401)
    }
    #expect(await closed.end() == 0)
    let served = try await ServedGuard.start()
    let account = try TestAccount(15)
    let counter = try await enrol(served, account)
    for (name, counter, status) in [("old", counter + 5, 409), ("good", counter, 200)] {
      let point = try RistrettoElement(Self.element)
      let answer = try await served.call(
        .evaluate, EvaluateRequest(account: account.id, counter: counter, element: point),
        by: account.ask)
      #expect(answer.status == status, "\(name)")
    }
    let stranger = try await served.call(
      .status, AccountRequest(account: guest.id), by: guest.ask)
    #expect(stranger.status == 404)
    #expect(await served.end() == 0)
    func lines(_ log: String) throws -> [LogLine] {
      try log.split(separator: "\n").filter { $0.hasPrefix("{") }
        .map { try JSONDecoder().decode(LogLine.self, from: Data($0.utf8)) }
    }
    let invited = try lines(closed.log).filter { $0.call == "accounts" }
    #expect(invited.map(\.reason) == ["unauthorised", "unauthorised"])
    let answered = try lines(served.log).filter { $0.call != nil }
    #expect(
      answered.filter { $0.reason != nil }.map { "\($0.call ?? "") \($0.reason ?? "")" } == [
        "evaluate counter", "status unknown",
      ])
    #expect(answered.allSatisfy { ($0.reason == nil) == ($0.status == "200") })
    // Nothing of the request comes with it.
    for text in ["0123456789abcdef", guest.id.hex] {
      #expect(!served.log.contains(text) && !closed.log.contains(text), "\(text)")
    }
  }

  @Test func `Logs and metrics name no account, key, element or address`() async throws {
    let served = try await ServedGuard.start()
    let account = try TestAccount(12)
    let counter = try await enrol(served, account)
    let point = try RistrettoElement(Self.element)
    _ = try await served.call(
      .evaluate, EvaluateRequest(account: account.id, counter: counter, element: point),
      by: account.ask
    ).read(EvaluateAnswer.self)
    _ = try await served.request("GET", "/secret-path?\(account.id.hex)")
    let metrics = try await served.request("GET", "/metrics").answer
    #expect(metrics.status == 200)
    #expect(
      metrics.text.contains(#"keybackup_guard_requests_total{call="evaluate",status="200"} 1"#))
    #expect(metrics.text.contains("keybackup_guard_tries_last_hour 1\n"))
    #expect(metrics.text.contains("keybackup_guard_clock_halted 0\n"))
    #expect(metrics.text.contains("keybackup_guard_restored 0\n"))
    #expect(metrics.text.contains("keybackup_guard_disk_free_bytes "))
    #expect(await served.end() == 0)
    #expect(served.log.contains(#""call":"evaluate""#))
    for line in served.log.split(separator: "\n") where line.hasPrefix("{") {
      let time = try JSONDecoder().decode(LogLine.self, from: Data(line.utf8)).time
      #expect(try Date.ISO8601FormatStyle().parse(time) <= Date.now, "\(line)")
    }
    for text in [
      account.id.hex, account.ask.publicKey.hex, account.reset.publicKey.hex,
      account.owner.publicKey.hex, Hex.string(Self.element), "127.0.0.1", "secret-path",
    ] {
      #expect(!served.log.contains(text) && !metrics.text.contains(text), "\(text)")
    }
  }
}

/// A line of the server's log.
private struct LogLine: Decodable {
  let time: String
  let call: String?
  let status: String?
  let reason: String?
}

/// An answer without what a test goes on with.
struct Missing: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
