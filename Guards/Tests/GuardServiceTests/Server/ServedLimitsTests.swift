import CSPP
import Foundation
import GuardProtocol
import GuardTestSupport
import RistrettoVOPRF
import TestSupport
import Testing

@testable import GuardService

@Suite("Clients that are slow, many or large, at the real program")
struct ServedLimitsTests {
  private static let head =
    "POST /v1/status HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"

  @Test func `A body beyond 64 KiB is refused before it is read, announced or not`() async throws {
    let served = try await ServedGuard.start(["--open", "--plain"])
    let announced = try RawConnection(port: served.port)
    announced.send(Self.head + "Content-Length: 65537\r\n\r\n")
    let answer = announced.rest()
    #expect(answer.text.hasPrefix("HTTP/1.1 413 ") && answer.isClosed, "\(answer)")
    let streamed = try RawConnection(port: served.port)
    streamed.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n")
    for _ in 0..<5 { streamed.send("4000\r\n" + String(repeating: "x", count: 0x4000) + "\r\n") }
    let second = streamed.rest()
    #expect(second.text.hasPrefix("HTTP/1.1 413 ") && second.isClosed, "\(second)")
    // Exactly 64 KiB is read.
    let most = [UInt8](repeating: 0x20, count: GuardCall.maximumBodySize)
    #expect(try await served.request("POST", "/v1/status", body: most).answer.status == 401)
    let metrics = try await served.request("GET", "/metrics").answer.text
    #expect(metrics.contains(#"keybackup_guard_refused_total{reason="size"} 2"#))
  }

  @Test func `A request that can be read in two ways is refused, and spends no try`() async throws {
    let served = try await ServedGuard.start(["--open", "--plain"])
    let account = try TestAccount(21)
    let created: CreateAccountAnswer = try await served.call(
      .createAccount, account.pinRequest(), by: account.ask
    ).read()
    let evaluate = EvaluateRequest(
      account: account.id, counter: created.counter,
      element: try RistrettoElement(
        unhex("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76")))
    let body = String(decoding: evaluate.body, as: UTF8.self)
    let signature = GuardSignature(
      .evaluate, body: evaluate.body, guardID: served.guardID, by: account.ask)
    let size = String(body.utf8.count, radix: 16)
    let chunks = "\(size)\r\n\(body)\r\n0\r\n\r\n"
    let host = "Host: localhost\r\n"
    let length = "Content-Length: \(body.utf8.count)\r\n"
    let chunked = "Transfer-Encoding: chunked\r\n"
    func answer(_ headers: String, _ text: String) throws -> String {
      let connection = try RawConnection(port: served.port)
      connection.send(
        Array(
          ("POST /v1/evaluate HTTP/1.1\r\n\(GuardSignature.keyHeader): \(signature.key.hex)\r\n"
            + "\(GuardSignature.signatureHeader): \(signature.signatureText)\r\n").utf8)
          + headers.unicodeScalars.map { UInt8($0.value) } + Array("\r\n\(text)".utf8))
      connection.endSending()
      let (answer, isClosed) = connection.rest()
      #expect(isClosed, "\(headers)")
      return answer
    }
    let unclear: [(headers: String, body: String)] = [
      (length, body), (host + "Host: localhost\r\n" + length, body),
      ("Host: \r\n" + length, body), ("Host: a, b\r\n" + length, body),
      (host + "Transfer-Encoding: gzip, chunked\r\n", chunks),
      (host + "Transfer-Encoding: chunked, gzip\r\n", chunks),
      (host + "Transfer-Encoding: identity\r\n", chunks),
      (host + chunked + chunked, chunks), (host + chunked + length, chunks),
      (host + length + chunked, chunks), (host + length + "Content-Length: 3\r\n", body),
      (host + length + length, body), (host + "Content-Length: +1\r\n", body),
      (host + "Content-Length: \(body.utf8.count), \(body.utf8.count)\r\n", body),
      (host + length + "X-Forwarded-For: \u{FC}\r\n", body),
      (host + length + "X-\u{FC}: 1\r\n", body), (host + "X: 1\r\n Y: 2\r\n" + length, body),
      (host + length + "X : 1\r\n", body),
      (host + chunked, "zz\r\n\(body)\r\n0\r\n\r\n"), (host + chunked, "\(size)\r\n\(body)"),
      (host + chunked, "\(size)\r\n\(body)XX0\r\n\r\n"), (host + length, "\(body.dropLast())"),
    ]
    for (headers, text) in unclear {
      let told = try answer(headers, text)
      #expect(told.hasPrefix("HTTP/1.1 400 "), "\(headers)\(text.prefix(40)): \(told)")
    }
    let state: AccountAnswer = try await served.call(
      .status, AccountRequest(account: account.id), by: account.ask
    ).read()
    #expect(state.counter == created.counter, "a try was spent")
    // What is clear is taken.
    #expect(try answer(host + chunked + "Connection: close\r\n", chunks).hasPrefix("HTTP/1.1 200 "))
    let metrics = try await served.request("GET", "/metrics").answer.text
    #expect(metrics.contains(#"keybackup_guard_refused_total{reason="unclear"} "#))
  }

  /// Waits until a request is answered: where the time for one is short, a busy computer's own may be cut off too.
  private func expectServing(_ served: ServedGuard) async throws {
    try await waitUntil("others are served") {
      let status = try? await served.request("GET", "/healthz").answer.status
      return status == 200 ? nil : "\(String(describing: status))"
    }
  }

  @Test func `Clients that send a byte now and then are cut off, and others are served`()
    async throws
  {
    let served = try await ServedGuard.start(["--open", "--plain", "--timeout", "3"])
    let start = ContinuousClock.now
    let silent = try RawConnection(port: served.port)
    let heads = try RawConnection(port: served.port)
    let bodies = try RawConnection(port: served.port)
    heads.send("POST /v1/status HTTP/1.1\r\n")
    bodies.send(Self.head + "Content-Length: 1000\r\n\r\n")
    var isOpen = (heads: true, bodies: true)
    try await waitUntil("they are cut off") {
      if isOpen.heads { isOpen.heads = heads.send("X") && !heads.rest(within: 0.2).isClosed }
      if isOpen.bodies { isOpen.bodies = bodies.send("x") && !bodies.rest(within: 0.2).isClosed }
      try await expectServing(served)
      return isOpen.heads || isOpen.bodies ? "\(isOpen)" : nil
    }
    #expect(ContinuousClock.now - start >= .seconds(2))
    #expect(silent.rest().isClosed)
  }

  @Test func `A TLS handshake that never ends is cut off`() async throws {
    let served = try await ServedGuard.start(["--open", "--timeout", "2"])
    let silent = try RawConnection(port: served.port)
    let half = try RawConnection(port: served.port)
    half.send("\u{16}\u{3}\u{1}")
    #expect(silent.rest().isClosed)
    #expect(half.rest().isClosed)
    try await expectServing(served)
  }

  @Test func `A client has so many requests a minute, and creating costs ten`() async throws {
    // 12 at once, and another one after five seconds: a slow computer uses them up, too.
    let served = try await ServedGuard.start(["--open", "--plain", "--rate", "12"])
    #expect(try await served.request("POST", "/v1/accounts").answer.status == 401)
    var statuses: [Int] = []
    while statuses.last != 429, statuses.count < 200 {
      statuses.append(try await served.request("GET", "/v1/info").answer.status)
    }
    #expect(statuses.count > 2 && statuses.dropLast().allSatisfy { $0 == 200 }, "\(statuses)")
    #expect(statuses.last == 429)
    let (answer, headers) = try await served.request("POST", "/v1/accounts")
    #expect(answer.status == 429 && headers["retry-after"] == "60")
    let refused = try unsafe RefusalAnswer(parsing: answer.body.span.bytes)
    #expect(refused.refusal == .tooMany)
    // Those who watch the guard are not counted.
    #expect(try await served.request("GET", "/healthz").answer.status == 200)
    let metrics = try await served.request("GET", "/metrics").answer.text
    #expect(metrics.contains(#"keybackup_guard_refused_total{reason="rate"} "#))
  }

  @Test func `A proxy's clients are told apart, and a header of nobody's is not believed`()
    async throws
  {
    func statuses(_ options: [String]) async throws -> [Int] {
      let served = try await ServedGuard.start(["--open", "--plain", "--rate", "5"] + options)
      var statuses: [Int] = []
      for number in 0..<12 {
        let header = [("X-Forwarded-For", "203.0.113.\(number)")]
        statuses.append(
          try await served.request("GET", "/v1/info", headers: header).answer.status)
      }
      return statuses
    }
    #expect(try await statuses(["--proxy", "127.0.0.1"]).allSatisfy { $0 == 200 })
    #expect(try await statuses([]).contains(429))
  }

  @Test func `Metrics are for this computer, and not by way of a proxy`() async throws {
    let served = try await ServedGuard.start(["--open", "--plain", "--proxy", "127.0.0.1"])
    for header in [
      ("X-Forwarded-For", "203.0.113.7"), ("X-Forwarded-For", "127.0.0.1"),
      ("Forwarded", "for=203.0.113.7"), ("Via", "1.1 proxy"),
    ] {
      let answer = try await served.request("GET", "/metrics", headers: [header]).answer
      #expect(answer.status == 404, "\(header)")
    }
    #expect(try await served.request("GET", "/metrics").answer.status == 200)
  }

  @Test func `One client's connections leave room for others, and 300 of them end nothing`()
    async throws
  {
    let served = try await ServedGuard.start(["--open", "--plain", "--timeout", "600"])
    var connections: [RawConnection] = []
    for _ in 0..<300 { connections.append(try RawConnection(port: served.port)) }
    try await waitUntil("the server closes most of them") {
      connections.removeAll { $0.rest(within: 0.01).isClosed }
      return connections.count <= 64 ? nil : "\(connections.count) are open"
    }
    #expect(!connections.isEmpty)
    connections.removeAll()
    try await expectServing(served)
    #expect(await served.end() == 0)
  }

  @Test func `A request that is under way at SIGTERM is answered, and new ones are not taken`()
    async throws
  {
    let served = try await ServedGuard.start(["--open", "--plain", "--timeout", "600"])
    let busy = try RawConnection(port: served.port)
    let idle = try RawConnection(port: served.port)
    idle.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(try idle.text(upTo: "ok").contains("200"))
    busy.send(Self.head + "Content-Length: 4\r\n\r\n12")
    try await busy.isRead()
    served.send(signal: SIGTERM)
    // An idle connection ends at once.
    #expect(idle.rest().isClosed)
    try await waitUntil("no connection is taken") {
      (try? RawConnection(port: served.port)) == nil ? nil : "one was taken"
    }
    busy.send("34")
    #expect(busy.rest().text.hasPrefix("HTTP/1.1 401 "))
    #expect(await served.end(terminating: false) == 0)
  }
}
