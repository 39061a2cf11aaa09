import FoundationEssentials
import GuardTestSupport
import TestSupport
import Testing

/// Requests of the real child to servers that behave, and to others.
@Suite(.serialized) struct RequestTests {
  private struct Echo: Decodable {
    let line: String
    let headers: [String]
    let body: String
  }

  private func echo(_ line: AskedLine) throws -> Echo {
    let answer = try #require(line.answer, "\(line)")
    return try JSONDecoder().decode(Echo.self, from: Data(answer.body.utf8))
  }

  @Test func `A call arrives as it was signed, and its answer comes back whole`() async throws {
    let url = try await SharedServer.server().url("echo")
    let line = try await AskChild().ask(Lines.evaluate(7, at: url + "/"))
    #expect(line.id == 7)
    #expect(line.answer?.status == 200)
    #expect(line.answer?.key == String(repeating: "ab", count: 32))
    #expect(line.answer?.signature == String(repeating: "cd", count: 64))
    let echo = try echo(line)
    #expect(echo.line == "POST /echo/v1/evaluate HTTP/1.1")
    #expect(echo.body == #"{"counter":1}"#)
    #expect(echo.headers.contains("Keybackup-Key: \(Lines.key)"))
    #expect(echo.headers.contains("Keybackup-Signature: \(Lines.signature)"))
    let names = echo.headers.map { $0.split(separator: ":")[0].lowercased() }.sorted()
    #expect(
      names == [
        "accept", "content-length", "content-type", "host", "keybackup-key", "keybackup-signature",
      ], "nothing that tells more than it must")
  }

  @Test func `The description of a guard is asked for without key and body`() async throws {
    let url = try await SharedServer.server().url("echo")
    let echo = try echo(try await AskChild().info(1, at: url))
    #expect(echo.line == "GET /echo/v1/info HTTP/1.1")
    let names = echo.headers.map { $0.split(separator: ":")[0].lowercased() }.sorted()
    #expect(names == ["accept", "host"])
    #expect(echo.body.isEmpty)
  }

  @Test func `A guard's refusal is an answer`() async throws {
    let url = try await SharedServer.server().url("refusal")
    let answer = try #require(try await AskChild().info(1, at: url).answer)
    #expect(answer.status == 404)
    #expect(answer.body == #"{"error":"unknown"}"#)
    #expect(answer.key == nil)
  }

  @Test(arguments: ["exact", "escapes"])
  func `A body of 64 KiB fits, whatever characters it has`(_ behaviour: String) async throws {
    let child = try AskChild()
    child.program.send(line: Lines.info(1, at: try await SharedServer.server().url(behaviour)))
    let text = try #require(try await child.program.line())
    #expect(text.utf8.count < 262_144)
    #expect(try AskedLine(text).answer?.body.utf8.count == 65_536)
  }

  @Test func `localhost is this computer, by its own name in the request`() async throws {
    let server = try await SharedServer.server()
    let url = "http://localhost:\(server.port("http"))/echo"
    let echo = try echo(try await AskChild().info(1, at: url))
    #expect(echo.headers.contains { $0.lowercased() == "host: localhost:\(server.port("http"))" })
  }

  @Test(arguments: [
    ("moved", "redirect"), ("found", "redirect"), ("temporary", "redirect"),
    ("permanent", "redirect"), ("large", "too-large"), ("announced", "too-large"),
    ("unending", "too-large"), ("chunks", "too-large"), ("chunk-extensions", "too-large"),
    ("trailers", "too-large"), ("interim", "too-large"), ("long-header", "protocol|too-large"),
    ("many-headers", "protocol|too-large"),
    ("chunk-size", "protocol|too-large|unreachable"),
    ("gzip", "protocol"), ("small-gzip", "protocol"), ("closed", "unreachable"),
    ("reset", "unreachable"), ("half-closed", "unreachable"), ("truncated", "unreachable"),
    ("garbage", "protocol"), ("http-0.9", "protocol"), ("bad-status", "protocol"),
    ("odd-status", "protocol"),
    ("negative-length", "protocol"), ("two-lengths", "protocol"), ("switching", "protocol|timeout"),
    ("not-text", "protocol"), ("control", "protocol"),
  ])
  func `A hostile answer is a failure with its reason, soon`(
    _ behaviour: String, _ reasons: String
  ) async throws {
    let server = try await SharedServer.server()
    let child = try AskChild()
    let line = try await child.info(1, at: server.url(behaviour), milliseconds: 30_000)
    let failure = try #require(line.failure, "\(line)")
    #expect(reasons.split(separator: "|").contains { $0 == failure.reason }, "\(failure)")
    #expect(try await child.info(2, at: server.url("echo")).answer?.status == 200)
  }

  @Test func `A redirect is never followed`() async throws {
    let server = try await SharedServer.server()
    let child = try AskChild()
    for (id, behaviour) in ["moved", "found", "temporary", "permanent"].enumerated() {
      _ = try await child.info(id + 1, at: server.url(behaviour))
    }
    let answer = try #require(try await child.info(9, at: server.url("counts")).answer)
    let counts = try JSONDecoder().decode([String: Int].self, from: Data(answer.body.utf8))
    #expect(counts["moved"] != nil)
    #expect(counts["followed"] == nil)
  }

  @Test(arguments: ["slow-head", "slow-body", "silent", "silent-body"])
  func `A slow server ends with the request's time`(_ behaviour: String) async throws {
    let url = try await SharedServer.server().url(behaviour)
    let child = try AskChild()
    let start = ContinuousClock.now
    let line = try await child.info(1, at: url, milliseconds: 700)
    #expect(line.failure?.reason == "timeout", "\(line)")
    #expect(ContinuousClock.now - start >= .milliseconds(700))
  }

  @Test func `A silent server ends before a long time limit does`() async throws {
    let url = try await SharedServer.server().url("silent-body")
    let start = ContinuousClock.now
    let line = try await AskChild().info(1, at: url, milliseconds: 600_000)
    #expect(line.failure?.reason == "timeout", "\(line)")
    #expect(ContinuousClock.now - start < .seconds(600))
  }

  @Test func `Of two answers to one request only the first counts`() async throws {
    let server = try await SharedServer.server()
    let child = try AskChild()
    #expect(try await child.info(1, at: server.url("two-answers")).answer?.body == "1")
    #expect(try await child.info(2, at: server.url("refusal")).answer?.status == 404)
  }

  @Test(arguments: ["two-keys", "odd-key"])
  func `Headers that are not what they should be are left out`(_ behaviour: String) async throws {
    let url = try await SharedServer.server().url(behaviour)
    let answer = try #require(try await AskChild().info(1, at: url).answer)
    #expect(answer.key == nil)
  }

  @Test func `Nobody listens, or nobody has that name: unreachable`() async throws {
    let child = try AskChild()
    // Port 1 is free on any computer that is not a museum.
    #expect(try await child.info(1, at: "http://127.0.0.1:1").failure?.reason == "unreachable")
    let missing = try await child.info(2, at: "https://guard.invalid")
    #expect(["unreachable", "timeout"].contains(missing.failure?.reason), "\(missing)")
  }
}
