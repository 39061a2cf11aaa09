import GuardTestSupport
import TestSupport
import Testing

@testable import GuardClient

/// Lines that are not of the protocol.
@Suite(.serialized) struct LineTests {
  /// A line, and the ID of its refusal.
  static let malformed: [(line: String, id: Int)] = [
    ("", 0), ("null", 0), ("[]", 0), ("{", 0), ("{}", 0), (#"{"id":1}"#, 1),
    (#"{"id":0,"cancel":true}"#, 0), (#"{"id":-1,"cancel":true}"#, 0),
    (#"{"id":"1","cancel":true}"#, 0), (#"{"id":1.5,"cancel":true}"#, 0),
    (#"{"id":9223372036854775808,"cancel":true}"#, 0), (#"{"id":1,"id":2,"cancel":true}"#, 0),
    (#"{"id":1,"cancel":false}"#, 1), (#"{"id":1,"cancel":1}"#, 1), (#"{"id":1,"other":1}"#, 1),
    (#"{"id":1,"cancel":true,"other":1}"#, 1), (#"{"id":1,"request":1}"#, 1),
    (#"{"id":1,"request":{}}"#, 1), (#"{"id":1,"login":{}}"#, 1), (#"{"id":1,"redirect":1}"#, 1),
    (#"{"id":1,"request":{"url":"https://a.example","method":"GET","path":"/v1/info","x":1}}"#, 1),
    (#"{"id":1,"request":{"url":"https://a.example","method":"GET","path":"/v1/status"}}"#, 1),
    (#"{"id":1,"request":{"url":"https://a.example","method":"GET","path":"/v1/../x"}}"#, 1),
    (#"{"id":1,"request":{"url":"https://a.example","method":"PUT","path":"/v1/info"}}"#, 1),
    (#"{"id":1,"request":{"url":"https://a.example","method":"POST","path":"/v1/evaluate"}}"#, 1),
    (
      #"{"id":1,"request":{"url":"https://a.example","method":"GET","path":"/v1/info","body":""}}"#,
      1
    ),
    (
      #"{"id":1,"request":{"url":"https://a.example","method":"GET","path":"/v1/info","timeout_ms":0}}"#,
      1
    ),
    (#"{"id":1,"login":{"issuer":"https://a.example","client_id":"a b","nonce":"n"}}"#, 1),
    (#"{"id":1,"login":{"issuer":"https://a.example","client_id":"a","nonce":""}}"#, 1),
    (#"{"id":1,"login":{"issuer":"https://a.example","client_id":"a","nonce":"n","paste":1}}"#, 1),
  ]

  @Test func `A line that is not of the protocol is refused with its ID where it has one`()
    async throws
  {
    let child = try AskChild()
    for (line, id) in Self.malformed {
      let answer = try await child.ask(line)
      #expect(answer.failure?.reason == "protocol", "\(line): \(answer)")
      #expect(answer.id == id, "\(line)")
    }
  }

  @Test func `A line above 256 KiB is refused once, and the next one is read`() async throws {
    let child = try AskChild()
    let long = String(repeating: "x", count: AskLine.maximumSize + 1)
    for line in [long, long + long + long] {
      let answer = try await child.ask(line)
      #expect(answer.failure?.detail == "a line is longer than 256 KiB")
      #expect(try await child.ask(#"{"id":5}"#).id == 5)
    }
    // The longest line is only no JSON.
    let detail = try await child.ask(String(long.dropLast())).failure?.detail
    #expect(detail == "a line must be one JSON object")
  }

  @Test func `An ID in use is refused without it, and stays in use`() async throws {
    let server = try await SharedServer.server()
    let child = try AskChild()
    child.program.send(line: Lines.info(3, at: server.url("silent"), milliseconds: 600_000))
    let refusal = try await child.info(3, at: server.url("echo"))
    #expect(refusal.id == 0)
    #expect(refusal.failure?.reason == "protocol")
    #expect(try await child.ask(#"{"id":3,"cancel":true}"#).id == 3)
    #expect(try await child.info(3, at: server.url("echo")).answer != nil)
  }

  @Test(arguments: [
    "ftp://a.example", "https://", "https://user@a.example", "https://a.example?x", "//a.example",
    "https://a.example#x", "http://a.example", "http://128.0.0.1", "http://127.0.0.1@a.example",
    "http://localhost.a.example", "http://0x7f.1", "https://a.example/../v1",
  ])
  func `A URL that is not allowed is a failure before any connection`(_ url: String) async throws {
    #expect(try await AskChild().info(1, at: url).failure?.reason == "bad-url")
  }

  @Test func `Damaged lines get one answer each, and the child goes on`() async throws {
    let server = try await SharedServer.server()
    var generator = SeededGenerator(seed: TestSeed.value)
    let closed = "http://127.0.0.1:1"
    let whole = [
      Lines.info(1, at: closed), Lines.evaluate(2, at: closed), Lines.login(3, at: closed),
      #"{"id":4,"cancel":true}"#, #"{"id":5,"redirect":"http://127.0.0.1:1/?code=x&state=y"}"#,
    ].map { Array($0.utf8) }
    let child = try AskChild()
    for round in 1...400 {
      var line = whole[Int.random(in: 0..<whole.count, using: &generator)]
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0..<line.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: line.remove(at: place)
        case 1: line.insert(.random(in: .min ... .max, using: &generator), at: place)
        case 2: line[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        default: line.removeSubrange(place..<min(place + 9, line.count))
        }
        if line.isEmpty { line = [0x20] }
      }
      child.program.send(line.map { $0 == 0x0A ? 0x20 : $0 } + [0x0A])
      if round % 20 == 0 {
        // Whatever came before, this one is answered. The others' answers are read on the way.
        child.program.send(line: Lines.info(1_000_000 + round, at: server.url("echo")))
        while try await child.line().id != 1_000_000 + round {}
      }
    }
  }

  @Test func `A stream is cut into the same lines, however it arrives`() {
    var generator = SeededGenerator(seed: TestSeed.value)
    for _ in 0..<200 {
      let lines = (0..<Int.random(in: 1...6, using: &generator)).map { _ -> [UInt8] in
        let isLong = Int.random(in: 0..<12, using: &generator) == 0
        let size = isLong ? AskLine.maximumSize + 1 : Int.random(in: 0...40, using: &generator)
        return [UInt8](repeating: UInt8.random(in: 0x20...0x7E, using: &generator), count: size)
      }
      var rest = Array(lines.map { $0 + [0x0A] }.joined())[...]
      var splitter = LineSplitter()
      var cut: [[UInt8]?] = []
      while !rest.isEmpty {
        let size = Int.random(in: 1...(rest.count < 1000 ? 9 : 100_000), using: &generator)
        splitter.append(rest.prefix(size)) { cut.append($0) }
        rest = rest.dropFirst(size)
      }
      #expect(cut == lines.map { $0.count > AskLine.maximumSize ? nil : $0 })
    }
  }
}
