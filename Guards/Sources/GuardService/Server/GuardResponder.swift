internal import GuardProtocol
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// The surroundings of a request: the other end of its connection.
struct GuardRequestContext: InitializableFromSource {
  let peer: SocketAddress?

  init(source: ApplicationRequestContextSource) { peer = source.channel.remoteAddress }
}

/// Answers requests: the calls of the protocol, `/healthz` and `/metrics`.
///
/// It knows no account. It reads a body up to the protocol's limit, and hands it on with the two
/// headers. What it writes into the log is the call, the status, the time, and the word of a
/// refusal.
struct GuardResponder: HTTPResponder {
  /// The requests for which one attempt to create an account counts.
  ///
  /// A client that guesses an invite, or fills an open guard, has a tenth of the others' requests.
  static let costOfCreation = 10

  private static let keyHeader = HTTPField.Name(GuardSignature.keyHeader)
  private static let signatureHeader = HTTPField.Name(GuardSignature.signatureHeader)
  private static let forwardedHeader = HTTPField.Name(TrustedProxies.header)

  let service: any GuardAnswering
  let proxies: TrustedProxies
  let limits: AddressLimits
  let counts: ConnectionCounts
  let metrics: ServerMetrics
  /// The folder whose free space is shown.
  let stateFolder: String
  let logger: Logger

  /// A response, and for the log the word of a refusal.
  private struct Reply {
    var response: Response
    var reason: String?
  }

  func respond(to request: Request, context: GuardRequestContext) async throws -> Response {
    let start = NIODeadline.now().uptimeNanoseconds
    // Exactly: no query, no other spelling of a path.
    let path = request.head.path ?? ""
    let call = GuardCall.allCases.first { $0.path == path && $0.method == request.method.rawValue }
    let client = proxies.client(
      of: proxies.peer(context.peer),
      forwarded: Self.forwardedHeader.map { request.headers[values: $0] } ?? [])
    let reply: Reply
    if !RequestFraming.isClear(request.head) {
      reply =
        limits.admit(1, of: client, at: start)
        ? refuse(.unclear, Self.badRequest) : refuse(.rate, Self.tooMany)
    } else if let call {
      reply = await answer(call, request, client, start)
    } else if request.method == .get, path == "/healthz" {
      // It reads the database, so strangers have a limit there too.
      let isAdmitted = isOwn(request, client) || limits.admit(1, of: client, at: start)
      reply = isAdmitted ? Reply(response: await health()) : refuse(.rate, Self.tooMany)
    } else if request.method == .get, path == "/metrics", isOwn(request, client) {
      reply = Reply(response: await page())
    } else {
      reply =
        limits.admit(1, of: client, at: start)
        ? Reply(response: Self.noSuchPath) : refuse(.rate, Self.tooMany)
    }
    let end = NIODeadline.now().uptimeNanoseconds
    let status = reply.response.status.code
    metrics.count(call, status: status, nanoseconds: end - start, at: end)
    // Those who watch the guard ask every few seconds.
    if call != nil || status >= 400 {
      var metadata: Logger.Metadata = [
        "call": "\(call?.word ?? "other")", "status": "\(status)",
        "milliseconds": "\((end - start) / 1_000_000)",
      ]
      if let reason = reply.reason { metadata["reason"] = "\(reason)" }
      logger.info("request", metadata: metadata)
    }
    return reply.response
  }

  private func answer(
    _ call: GuardCall, _ request: Request, _ client: ClientAddress, _ now: UInt64
  ) async -> Reply {
    let cost = call == .createAccount ? Self.costOfCreation : 1
    guard limits.admit(cost, of: client, at: now) else { return refuse(.rate, Self.tooMany) }
    let body: [UInt8]
    do throws(BodyFault) {
      body = try await self.body(of: request)
    } catch {
      switch error {
      case .tooLarge: return refuse(.size, Self.tooLarge)
      case .broken: return refuse(.unclear, Self.badRequest)
      }
    }
    func header(_ name: HTTPField.Name?) -> String? {
      // Two of one name are as good as none.
      let values = name.map { request.headers[values: $0] } ?? []
      return values.count == 1 ? values[0] : nil
    }
    let answer = await service.answer(
      call, body: body, key: header(Self.keyHeader), signature: header(Self.signatureHeader))
    var response = Self.json(status: answer.status, answer.body)
    if let key = answer.key, let name = Self.keyHeader { response.headers[name] = key }
    if let signature = answer.signature, let name = Self.signatureHeader {
      response.headers[name] = signature
    }
    return Reply(response: response, reason: answer.reason)
  }

  /// The reasons for which a body is not taken.
  private enum BodyFault: Error { case tooLarge, broken }

  /// The body, if all of it comes and is within the protocol's limit; no more than that is read.
  private func body(of request: Request) async throws(BodyFault) -> [UInt8] {
    if let announced = request.headers[.contentLength].flatMap({ Int($0) }),
      announced > GuardCall.maximumBodySize
    {
      throw .tooLarge
    }
    var body: [UInt8] = []
    do {
      for try await part in request.body {
        guard body.count + part.readableBytes <= GuardCall.maximumBodySize else {
          throw BodyFault.tooLarge
        }
        body += part.readableBytesView
      }
    } catch {
      // Else its encoding is wrong, or the connection ended.
      throw error as? BodyFault ?? .broken
    }
    return body
  }

  private func health() async -> Response {
    let state = await service.state()
    let word =
      if !state.isDatabaseUp { "database" } else if state.isStopped {
        "exported"
      } else if state
        .isClockHalted
      { "clock" } else { "ok" }
    return Self.json(status: word == "ok" ? 200 : 503, Array("{\"state\":\"\(word)\"}".utf8))
  }

  /// Whether a program of this computer asks, and not on behalf of someone else.
  private func isOwn(_ request: Request, _ client: ClientAddress) -> Bool {
    client.isLocal && Self.forwardedHeader.map { request.headers[$0] == nil } ?? false
      && request.headers[.init("Forwarded") ?? .via] == nil && request.headers[.via] == nil
  }

  private func page() async -> Response {
    let page = MetricsPage(
      metrics.values, await service.state(), connections: counts.total,
      freeDisk: FreeDisk.bytes(at: stateFolder), at: NIODeadline.now().uptimeNanoseconds)
    var response = Self.json(status: 200, page.body)
    response.headers[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
    return response
  }

  // MARK: Answers without an account

  private func refuse(_ reason: ServerMetrics.Refusal, _ response: Response) -> Reply {
    metrics.count(refused: reason)
    return Reply(response: response, reason: reason.rawValue)
  }

  private static var tooMany: Response {
    var response = refusal(.tooMany)
    response.headers[.retryAfter] = "60"
    return response
  }

  private static var tooLarge: Response { last(status: 413, RefusalAnswer(.malformed).body) }

  /// The answer to a request that may be read in two ways; it is none of the protocol's words.
  private static var badRequest: Response {
    last(status: 400, Array("{\"error\":\"bad_request\"}".utf8))
  }

  /// An answer with which the connection ends: the rest of the body is not read.
  private static func last(status: Int, _ body: [UInt8]) -> Response {
    var response = json(status: status, body)
    response.headers[.connection] = "close"
    return response
  }

  /// The answer to a path that is no call.
  ///
  /// It is none of the protocol's words. A client with a wrong address must not take it for a
  /// guard's answer about an account.
  private static var noSuchPath: Response {
    json(status: 404, Array("{\"error\":\"no_such_path\"}".utf8))
  }

  private static func refusal(_ refusal: GuardRefusal) -> Response {
    let answer = RefusalAnswer(refusal)
    return json(status: answer.status, answer.body)
  }

  private static func json(status: Int, _ body: [UInt8]) -> Response {
    Response(
      status: HTTPResponse.Status(code: status),
      headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }
}
