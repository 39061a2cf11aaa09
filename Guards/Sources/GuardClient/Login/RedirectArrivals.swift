/// The redirects of one login, of which the first that belongs to it counts.
struct RedirectArrivals: Sendable {
  /// The state of the request.
  let state = Authorization.random()

  private let judge: RedirectJudge
  private let stream: AsyncStream<RedirectVerdict>
  private let sink: AsyncStream<RedirectVerdict>.Continuation

  /// Creates a place for them.
  ///
  /// - Parameters:
  ///   - issuer: the issuer.
  ///   - isNamed: whether each must name it.
  init(issuer: String, isNamed: Bool) {
    judge = RedirectJudge(state: state, issuer: issuer, namesIssuer: isNamed)
    (stream, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  /// Takes the query of a redirect.
  func take(query: String) -> RedirectVerdict { note(judge.verdict(on: query)) }

  /// Takes an address that a person pasted.
  func take(pasted address: String) -> RedirectVerdict { note(judge.verdict(onPasted: address)) }

  private func note(_ verdict: RedirectVerdict) -> RedirectVerdict {
    if verdict != .foreign { sink.yield(verdict) }
    return verdict
  }

  /// Waits for the first; `foreign` stands for none, where the task is cancelled.
  func first() async -> RedirectVerdict {
    for await verdict in stream { return verdict }
    return .foreign
  }
}
