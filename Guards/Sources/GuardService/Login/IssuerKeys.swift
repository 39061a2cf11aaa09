/// The keys of one issuer, kept for an hour, and asked for again when a token names another key.
actor IssuerKeys {
  /// The seconds for which keys are kept.
  static let lifetime: UInt64 = 3600
  /// The seconds between two requests, however many tokens name keys that there are not.
  static let pause: UInt64 = 60
  /// The same after a request that failed.
  static let pauseAfterFailure: UInt64 = 5

  private let issuer: LoginIssuer
  private let source: any KeySetSource
  private var keys: KeySet?
  private var fetched: UInt64 = 0
  private var nextFetch: UInt64 = 0
  private var fetching: Task<KeySet?, Never>?

  init(of issuer: LoginIssuer, from source: any KeySetSource) {
    self.issuer = issuer
    self.source = source
  }

  /// The key for a token's header.
  ///
  /// - Parameters:
  ///   - id: the header's `kid`.
  ///   - algorithm: the header's `alg`.
  ///   - now: in seconds, of a clock that never goes back.
  /// - Returns: nil where there is none, or the issuer is not reached.
  func key(_ id: String?, _ algorithm: String, at now: UInt64) async -> VerificationKey? {
    if let keys, now < fetched + Self.lifetime, let key = keys.key(id, algorithm) { return key }
    guard let keys = await fetch(at: now) else { return nil }
    return keys.key(id, algorithm)
  }

  /// The keys from the issuer; several callers wait for one request.
  private func fetch(at now: UInt64) async -> KeySet? {
    if let fetching { return await fetching.value }
    guard now >= nextFetch else { return nil }
    let task = Task { [issuer, source] () -> KeySet? in
      guard let text = await source.keySet(of: issuer) else { return nil }
      return await KeySet(parsing: text)
    }
    fetching = task
    let found = await task.value
    fetching = nil
    nextFetch = now + (found == nil ? Self.pauseAfterFailure : Self.pause)
    if let found {
      keys = found
      fetched = now
    }
    return found
  }
}
