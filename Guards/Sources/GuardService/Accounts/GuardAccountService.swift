public import CSPP
public import GuardProtocol

/// A guard: it answers every call of the protocol.
///
/// A change is durable before its answer leaves.
public final class GuardAccountService: Sendable {
  /// The parts that an operator chooses.
  public struct Options: Sendable {
    /// The URLs at which the guard can be reached, at most 16.
    public let urls: [String]
    /// The issuers whose ID tokens the verifier accepts, at most 16.
    public let issuers: [String]
    /// Whether an account needs an invite.
    public let wantsInvites: Bool

    /// Takes the choices.
    public init(urls: [String] = [], issuers: [String] = [], wantsInvites: Bool = true) {
      self.urls = urls
      self.issuers = issuers
      self.wantsInvites = wantsInvites
    }
  }

  /// The seconds after which the time is stored again.
  static let rememberingInterval: UInt64 = 10

  let store: GuardStore
  let key: ServerKey
  let watch: ClockWatch
  let verifier: (any LoginVerifier)?
  let options: Options

  /// Starts a guard.
  ///
  /// - Parameters:
  ///   - store: its database; a new one is bound to the key.
  ///   - key: its server key.
  ///   - clock: its clocks.
  ///   - verifier: the check of ID tokens; nil: no logins.
  ///   - options: the operator's choices.
  /// - Throws: ``GuardStoreError/otherKey`` for the key of another database; others.
  public init(
    store: GuardStore, key: consuming ServerKey, clock: GuardClock = .system,
    verifier: (any LoginVerifier)? = nil, options: Options = Options()
  ) async throws(GuardStoreError) {
    self.store = store
    self.key = key
    self.verifier = verifier
    self.options = options
    watch = ClockWatch(clock)
    try await store.bind(self.key.identity.publicKey.bytes)
    _ = try await look()
  }

  /// The guard's ID.
  public var guardID: GuardID { key.guardID }

  /// Answers a call.
  ///
  /// The signature is checked before an account is looked up, so that accounts cannot be
  /// enumerated.
  ///
  /// - Parameters:
  ///   - call: the call.
  ///   - body: the body of the request.
  ///   - key: the header ``GuardSignature/keyHeader``.
  ///   - signature: the header ``GuardSignature/signatureHeader``.
  /// - Returns: the answer, which may be a refusal.
  public func answer(
    _ call: GuardCall, body: [UInt8], key: String?, signature: String?
  ) async -> GuardAnswer {
    if call == .info { return info() }
    guard body.count <= GuardCall.maximumBodySize else { return GuardAnswer(.malformed) }
    guard let key, let signature,
      let signed = try? GuardSignature(key: key, signature: signature),
      (try? signed.verify(call, body: body, guardID: guardID)) != nil
    else { return GuardAnswer(.unauthorised) }
    do throws(CallFailure) {
      return try await answer(call, body: body, by: signed.key)
    } catch {
      switch error {
      case .refused(let refusal): return GuardAnswer(refusal)
      case .store(let error): return GuardAnswer(error)
      }
    }
  }

  private func answer(
    _ call: GuardCall, body: [UInt8], by key: SigningKey
  ) async throws(CallFailure) -> GuardAnswer {
    switch call {
    case .info: info()
    case .createAccount: try await create(try read(body), by: key)
    case .confirm: try await confirm(try read(body), by: key)
    case .reset: try await reset(try read(body), by: key)
    case .evaluate: try await evaluate(try read(body), by: key)
    case .release: try await release(try read(body), by: key)
    case .collect: try await collect(try read(body), by: key)
    case .status: try await status(try read(body), by: key)
    case .retire: try await retire(try read(body), by: key)
    case .veto: try await veto(try read(body), by: key)
    }
  }

  private func read<Message: GuardMessage>(_ body: [UInt8]) throws(CallFailure) -> Message {
    do throws(GuardProtocolError) {
      return try unsafe Message(parsing: body.span.bytes)
    } catch {
      throw .refused(.malformed)
    }
  }

  private func info() -> GuardAnswer {
    let info = GuardInfo(
      guardKey: key.identity.publicKey, urls: options.urls, schedules: DelaySchedule.allCases,
      issuers: options.issuers)
    let signature = GuardSignature(.info, body: info.body, guardID: guardID, by: key.identity)
    return GuardAnswer(
      status: 200, body: info.body, key: signature.key.hex, signature: signature.signatureText)
  }
}
