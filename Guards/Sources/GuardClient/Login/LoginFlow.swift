internal import NIOPosix

/// One login, from the issuer's metadata to the ID token.
struct LoginFlow: Sendable {
  /// The most time for one question to the issuer.
  private static let patience: Duration = .seconds(20)

  private let login: AskedLogin
  private let pasted: AsyncStream<String>
  private let web: WebClient

  /// Creates a login.
  ///
  /// - Parameters:
  ///   - login: the parent's wish.
  ///   - pasted: addresses that the person pastes.
  ///   - web: the client to ask with.
  init(_ login: AskedLogin, pasted: AsyncStream<String>, over web: WebClient) {
    self.login = login
    self.pasted = pasted
    self.web = web
  }

  /// Logs in.
  ///
  /// - Parameters:
  ///   - id: the number of the conversation.
  ///   - tell: takes the line with the address to open. It comes again after a pasted address that
  ///     does not belong to this login.
  /// - Returns: the last line.
  func line(
    _ id: UInt64, tell: @escaping @Sendable (AnswerLine) async -> Void
  ) async -> AnswerLine {
    let deadline = ContinuousClock.now + login.limit
    do throws(AskFailure) {
      let token = try await WorkLimit.run(until: deadline) {
        do throws(AskFailure) {
          return .success(
            try await logIn(until: deadline) { await tell(.authorize(id, url: $0)) })
        } catch {
          return .failure(error)
        }
      }
      return .token(id, token)
    } catch {
      return .failure(id, error)
    }
  }

  private func logIn(
    until deadline: ContinuousClock.Instant, tell: @escaping @Sendable (String) async -> Void
  ) async throws(AskFailure) -> String {
    let metadata = try await IssuerMetadata.fetch(
      login.issuer, over: web, until: soon(deadline))
    let (authorization, code) = try await waitForCode(metadata, tell)
    return try await TokenExchange.token(
      for: code, authorization, login, at: metadata, over: web, until: soon(deadline))
  }

  private func soon(_ deadline: ContinuousClock.Instant) -> ContinuousClock.Instant {
    min(deadline, .now + Self.patience)
  }

  /// Waits for the browser's return: at the listener, or pasted by the person.
  private func waitForCode(
    _ metadata: IssuerMetadata, _ tell: @escaping @Sendable (String) async -> Void
  ) async throws(AskFailure) -> (Authorization, String) {
    let arrivals = RedirectArrivals(issuer: metadata.issuer, isNamed: metadata.namesIssuer)
    // Another computer's browser finds nothing at the port, and shows the address to copy.
    let listener = login.isPasted ? nil : try await RedirectListener.open(on: web.group, arrivals)
    let port = listener?.port ?? Int.random(in: 49_152...65_535)
    let authorization = Authorization(state: arrivals.state, port: port)
    let url = authorization.url(login, at: metadata)
    await tell(url)
    let pasting = Task {
      for await address in pasted where arrivals.take(pasted: address) == .foreign {
        await tell(url)
      }
    }
    let verdict = await arrivals.first()
    pasting.cancel()
    await listener?.close()
    switch verdict {
    case .code(let code): return (authorization, code)
    case .failed(let failure): throw failure
    case .foreign: throw AskFailure(.cancelled, "cancelled")
    }
  }
}
