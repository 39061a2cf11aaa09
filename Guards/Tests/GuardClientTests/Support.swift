import FoundationEssentials
import GuardTestSupport
import TestSupport
import Testing

/// One line from the child.
struct AskedLine: Decodable, Sendable {
  struct Answer: Decodable, Sendable {
    let status: Int
    let body: String
    let key: String?
    let signature: String?
  }

  struct Failure: Decodable, Sendable {
    let reason: String
    let detail: String
  }

  struct Authorize: Decodable, Sendable {
    let url: String
  }

  let id: Int
  let answer: Answer?
  let failure: Failure?
  let authorize: Authorize?
  let idToken: String?

  init(_ line: String) throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    self = try decoder.decode(Self.self, from: Data(line.utf8))
  }
}

/// The real program, `keybackup-guard ask`, as a child of the tests.
struct AskChild: Sendable {
  let program: LineProgram

  init(trusting files: [String] = [], errors: String? = nil) throws {
    program = try LineProgram(
      [BuiltProduct.path("keybackup-guard"), "ask"] + files.flatMap { ["--ca", $0] },
      errors: errors)
  }

  /// The next line.
  func line() async throws -> AskedLine {
    try AskedLine(try #require(try await program.line(), "the child ended"))
  }

  /// Sends one line, and waits for the next one.
  func ask(_ line: String) async throws -> AskedLine {
    program.send(line: line)
    return try await self.line()
  }

  /// The answer to `info` at a URL.
  func info(_ id: Int, at url: String, milliseconds: Int = 600_000) async throws -> AskedLine {
    try await ask(Lines.info(id, at: url, milliseconds: milliseconds))
  }
}

/// Lines to the child.
enum Lines {
  static let key = String(repeating: "1f", count: 32)
  static let signature = String(repeating: "2e", count: 64)

  static func info(_ id: Int, at url: String, milliseconds: Int = 600_000) -> String {
    """
    {"id":\(id),"request":{"url":"\(url)","method":"GET","path":"/v1/info",\
    "timeout_ms":\(milliseconds)}}
    """
  }

  static func evaluate(_ id: Int, at url: String, body: String = #"{\"counter\":1}"#) -> String {
    """
    {"id":\(id),"request":{"url":"\(url)","method":"POST","path":"/v1/evaluate","key":"\(key)",\
    "signature":"\(signature)","body":"\(body)","timeout_ms":600000}}
    """
  }

  static func login(
    _ id: Int, at issuer: String, client: String = "client", nonce: String = Lines.nonce,
    pasted: Bool = false, milliseconds: Int = 120_000
  ) -> String {
    """
    {"id":\(id),"login":{"issuer":"\(issuer)","client_id":"\(client)","nonce":"\(nonce)",\
    "paste":\(pasted),"timeout_ms":\(milliseconds)}}
    """
  }

  /// The nonce of Tests/guards/hostile_issuers.py.
  static let nonce = "the-nonce-of-the-test"
}

/// One hostile server for all tests of this process.
actor SharedServer {
  static let shared = SharedServer()
  private var starting: Task<HostileServer, any Error>?

  /// Starts it for the first caller.
  static func server() async throws -> HostileServer { try await shared.started().value }

  private func started() -> Task<HostileServer, any Error> {
    if let starting { return starting }
    let task = Task { try await HostileServer() }
    starting = task
    return task
  }
}
