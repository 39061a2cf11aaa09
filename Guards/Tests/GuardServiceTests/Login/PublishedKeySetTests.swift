import FoundationEssentials
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOSSL
import Synchronization
import TestSupport
import Testing

@testable import GuardService

/// The web server of an issuer, on loopback, with answers of its own for each path.
final class TestIssuerServer: Sendable {
  typealias Answers = @Sendable (_ path: String, _ base: String) async -> Response

  private let task: Task<Void, any Error>
  /// Its address, such as `http://127.0.0.1:4711`.
  let base: String

  private init(_ task: Task<Void, any Error>, _ base: String) {
    self.task = task
    self.base = base
  }

  deinit { task.cancel() }

  static func start(tls: NIOSSLContext? = nil, _ answers: @escaping Answers) async throws
    -> TestIssuerServer
  {
    let scheme = tls == nil ? "http" : "https"
    let (ports, found) = AsyncStream.makeStream(of: Int.self)
    let base = Mutex("")
    let responder = CallbackResponder<GuardRequestContext> { request, _ in
      await answers(request.head.path ?? "", base.withLock { $0 })
    }
    let application = Application(
      responder: responder,
      server: HTTPServerBuilder { responder in
        GuardChannel(
          base: HTTP1Channel(responder: responder), tls: tls.map { CurrentTLS($0) },
          counts: ConnectionCounts(limit: 1000),
          proxies: TrustedProxies([], isSocketTrusted: false), metrics: ServerMetrics())
      },
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { found.yield($0.localAddress?.port ?? 0) }, logger: ServerLog.silent)
    let task = Task { try await application.run() }
    for await port in ports {
      base.withLock { $0 = "\(scheme)://127.0.0.1:\(port)" }
      break
    }
    return TestIssuerServer(task, base.withLock { $0 })
  }

  static func text(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
    Response(status: status, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }

  static func description(_ base: String, keys: String? = nil) -> String {
    #"{"issuer":"\#(base)","jwks_uri":"\#(keys ?? base + "/keys")","other":[1,{}]}"#
  }

  func issuer() throws -> LoginIssuer {
    try #require(LoginIssuer(base, clientIDs: [TestIssuer.client]))
  }
}

@Suite("Key sets as an issuer publishes them")
struct PublishedKeySetTests {
  /// The key set that a guard gets from a server with these answers.
  private func fetched(
    authorities: String? = nil, tls: NIOSSLContext? = nil,
    within limit: Duration = Backstop.duration,
    _ answers: @escaping TestIssuerServer.Answers
  ) async throws -> [UInt8]? {
    let server = try await TestIssuerServer.start(tls: tls, answers)
    let source = PublishedKeySet(authorities: authorities, limit: limit)
    let found = await source.keySet(of: try server.issuer())
    withExtendedLifetime(server) {}
    return found
  }

  @Test func `The description says where the keys are`() async throws {
    let found = try await fetched { path, base in
      path == "/keys"
        ? TestIssuerServer.text("the keys")
        : TestIssuerServer.text(TestIssuerServer.description(base))
    }
    #expect(found == Array("the keys".utf8))
  }

  @Test func `Over TLS only an issuer with a certificate of the named authority counts`()
    async throws
  {
    let (folder, other) = (try TestFolder(), try TestFolder())
    let files = try #require(try ServerCertificate.find(.loopback(folder: folder.path)))
    let foreign = try #require(try ServerCertificate.find(.loopback(folder: other.path)))
    let answers: TestIssuerServer.Answers = { path, base in
      path == "/keys"
        ? TestIssuerServer.text("the keys")
        : TestIssuerServer.text(TestIssuerServer.description(base))
    }
    let tls = try files.load()
    #expect(
      try await fetched(authorities: files.authority, tls: tls, answers) == Array("the keys".utf8))
    // The client tries until its time is over.
    let limit = PublishedKeySet(authorities: nil).limit
    for authorities in [foreign.authority, nil] {
      let found = try await fetched(authorities: authorities, tls: tls, within: limit, answers)
      #expect(found == nil)
    }
  }

  @Test func `A redirection is not followed`() async throws {
    let asked = Mutex<[String]>([])
    for redirected in ["/.well-known/openid-configuration", "/keys"] {
      let found = try await fetched { path, base in
        asked.withLock { $0.append(path) }
        if path == redirected {
          return Response(status: .found, headers: [.location: base + "/elsewhere"])
        }
        return TestIssuerServer.text(
          path.contains("well-known") ? TestIssuerServer.description(base) : "keys")
      }
      #expect(found == nil)
    }
    #expect(!asked.withLock { $0 }.contains("/elsewhere"))
  }

  @Test func `A description or key set beyond 64 KiB is not read to its end`() async throws {
    let sent = Mutex(0)
    for large in ["well-known", "keys"] {
      let found = try await fetched { path, base in
        guard path.contains(large) else {
          return TestIssuerServer.text(TestIssuerServer.description(base))
        }
        return Response(
          status: .ok,
          body: ResponseBody { writer in
            // 1 GiB, if it were read.
            for _ in 0..<16_384 {
              try await writer.write(ByteBuffer(repeating: 0x20, count: 65_536))
              sent.withLock { $0 += 65_536 }
            }
            try await writer.finish(nil)
          })
      }
      #expect(found == nil)
    }
    #expect(sent.withLock { $0 } < 64 << 20)
  }

  @Test func `An issuer that sends a byte a second is given up after ten`() async throws {
    let start = ContinuousClock.now
    let found = try await fetched(within: PublishedKeySet(authorities: nil).limit) { _, _ in
      Response(
        status: .ok,
        body: ResponseBody { writer in
          for _ in 0..<Backstop.seconds {
            try await writer.write(ByteBuffer(string: " "))
            try await Task.sleep(for: .seconds(1))
          }
          try await writer.finish(nil)
        })
    }
    #expect(found == nil)
    // Else it would take that long.
    #expect(ContinuousClock.now - start < Backstop.duration)
  }

  @Test func `A description of somebody else, or keys elsewhere without TLS, do not count`() throws
  {
    let issuer = try #require(LoginIssuer("https://idp.example", clientIDs: ["a"]))
    func address(_ text: String) -> String? {
      PublishedKeySet.address(in: Array(text.utf8), of: issuer)
    }
    let own = TestIssuerServer.description("https://idp.example", keys: "https://keys.example/k")
    #expect(address(own) == "https://keys.example/k")
    for keys in ["http://127.0.0.1/k", "http://keys.example/k", "file:///etc/passwd", "", "k"] {
      #expect(address(TestIssuerServer.description("https://idp.example", keys: keys)) == nil)
    }
    #expect(address(TestIssuerServer.description("https://other.example")) == nil)
    for text in ["", "[]", "{}", #"{"issuer":7,"jwks_uri":"https://idp.example/k"}"#] {
      #expect(address(text) == nil)
    }
  }

  @Test(arguments: [
    "http://idp.example", "https://", "https://user@idp.example", "https://idp.example?x",
    "https://idp.example#x", "ftp://idp.example", "idp.example", "", "https://idp.example/ x",
  ])
  func `An address that is no issuer's is refused`(_ text: String) {
    #expect(LoginIssuer(text, clientIDs: ["a"]) == nil)
  }

  @Test func `An issuer needs client IDs that a token can hold`() {
    #expect(LoginIssuer("https://idp.example", clientIDs: []) == nil)
    #expect(LoginIssuer("https://idp.example", clientIDs: ["a b"]) == nil)
    #expect(
      LoginIssuer("https://idp.example/tenant/", clientIDs: ["a"])?.configurationURL
        == "https://idp.example/tenant/.well-known/openid-configuration")
  }
}
