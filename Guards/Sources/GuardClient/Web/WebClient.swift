internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// A request.
struct WebRequest: Sendable {
  /// The address.
  let address: WebAddress
  /// HTTP's method.
  var method = "GET"
  /// Headers beside those that HTTP itself needs.
  var headers: [(name: String, value: String)] = []
  /// The body; nil for none.
  var body: [UInt8]?
}

/// An answer.
struct WebAnswer: Sendable {
  /// HTTP's status, 200 to 299 or 400 to 599.
  let status: Int
  /// The headers.
  let headers: HTTPHeaders
  /// The body, at most ``WebClient/maximumBody`` bytes.
  let body: [UInt8]

  /// The value of a header that must not appear twice; nil where it is absent or does.
  func header(_ name: String) -> String? {
    let values = headers[name]
    return values.count == 1 ? values[0] : nil
  }
}

/// Makes requests, each over a connection of its own.
struct WebClient: Sendable {
  /// The most bytes of an answer's body, 64 KiB.
  static let maximumBody = 65_536

  /// Its event loops.
  let group: MultiThreadedEventLoopGroup
  private let client: HTTPClient

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - certificates: trusted beside those of the system.
  ///   - group: its event loops.
  init(trusting certificates: [NIOSSLCertificate], on group: MultiThreadedEventLoopGroup) {
    self.group = group
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    if !certificates.isEmpty { tls.additionalTrustRoots = [.certificates(certificates)] }
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow,
      timeout: .init(connect: .seconds(10), read: .seconds(10), write: .seconds(10)),
      connectionPool: .init(idleTimeout: .seconds(1)), decompression: .disabled)
    configuration.httpVersion = .http1Only
    // No answer of one request is ever taken for that of another.
    configuration.maximumUsesPerConnection = 1
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
    // A closed port is an answer. The parent decides whether to ask again.
    configuration.connectionPool.retryConnectionEstablishment = false
    // A resolver could say otherwise.
    configuration.dnsOverride = ["localhost": "127.0.0.1"]
    configuration.http1_1ConnectionDebugInitializer = ConnectionLimit.install
    client = HTTPClient(eventLoopGroup: group, configuration: configuration)
  }

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - deadline: the end of its time. 10 seconds of silence end it, too.
  /// - Returns: the whole answer.
  /// - Throws: ``AskFailure``.
  func answer(
    to request: WebRequest, until deadline: ContinuousClock.Instant
  ) async throws(AskFailure) -> WebAnswer {
    try await WorkLimit.run(until: deadline) {
      do throws(AskFailure) {
        return .success(try await exchange(request))
      } catch {
        return .failure(error)
      }
    }
  }

  private func exchange(_ request: WebRequest) async throws(AskFailure) -> WebAnswer {
    var outgoing = HTTPClientRequest(url: request.address.text)
    outgoing.method = HTTPMethod(rawValue: request.method)
    for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
    if let body = request.body { outgoing.body = .bytes(ByteBuffer(bytes: body)) }
    let response: HTTPClientResponse
    do {
      // The caller's limit comes first.
      response = try await client.execute(outgoing, timeout: .hours(2))
    } catch {
      throw WebFailure.before(error)
    }
    let status = Int(response.status.code)
    guard !(300...399).contains(status) else {
      throw AskFailure(.redirect, "the server redirects (\(status)): use its own URL")
    }
    let coding = response.headers[canonicalForm: "content-encoding"]
    guard (200...599).contains(status), coding.allSatisfy({ $0.lowercased() == "identity" }) else {
      throw AskFailure(.protocol, "the answer's status or encoding is not allowed")
    }
    do {
      let body = try await response.body.collect(upTo: Self.maximumBody)
      return WebAnswer(status: status, headers: response.headers, body: Array(buffer: body))
    } catch {
      throw WebFailure.within(error)
    }
  }
}
