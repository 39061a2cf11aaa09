internal import CSPP
internal import CommandKit
internal import GuardProtocol
internal import SecretMemory

/// Begins the releases of a login way, and collects what the guards release.
struct GuardedLoginAttempt {
  let way: GuardWay
  let header: KeyHeader.GuardedLogin
  let caller: GuardCaller
  /// Guards that gave a wrong answer, although others opened the backup.
  private(set) var liars: [(server: AskedGuard, fault: GuardFault)] = []

  init(_ way: GuardWay, _ header: KeyHeader.GuardedLogin, _ caller: GuardCaller) {
    self.way = way
    self.header = header
    self.caller = caller
  }

  /// Begins a release at all guards.
  ///
  /// - Parameters:
  ///   - session: the session; receives the times.
  ///   - token: an ID token for its key.
  /// - Throws: `guards-unreachable`, `guard-wrong`, `login-refused`; `interrupted`, `io`.
  func begin(_ session: inout LoginSession, _ token: String) throws(UserMessage) {
    var calls: [GuardCaller.Call] = []
    for seat in way.seats {
      calls.append(
        GuardCaller.Call(
          .release,
          ReleaseRequest(
            account: try seat.account(), idToken: token, sessionKey: session.publicKey),
          to: seat.server, by: try seat.askKey()))
    }
    let answers = try caller.answers(to: calls, as: ReleaseAnswer.self, repeats: 1)
    var times: [GuardID: UInt64] = [:]
    var faults: [(server: AskedGuard, fault: GuardFault)] = []
    for (seat, answer) in zip(way.seats, answers) {
      switch answer {
      case .success(let release) where release.release == session.release:
        times[seat.server.guardID] = release.notBefore
      case .success: faults.append((seat.server, .wrong("it names another release")))
      case .failure(let fault): faults.append((seat.server, fault))
      }
    }
    guard times.count < way.threshold.needed else { return try session.keep(times) }
    if faults.contains(where: { $0.fault == .refused(.malformed) }) {
      throw UserMessage(
        .denied, word: "login-refused", "the guards do not accept the login",
        hint: faults.map { "\($0.server.name): \($0.fault.text)" }.joined(separator: "\n")
          + "\nlog in with the account that was enrolled, and not from an old session")
    }
    throw .tooFewGuards(faults, way, next: nil)
  }

  /// The result of a collection.
  enum Collected: ~Copyable {
    /// The secret of the key slot.
    case secret(SecretBytes)
    /// Enough guards release their secrets at this time, in Unix seconds.
    case waiting(UInt64)
    /// A person vetoed the release.
    case vetoed
    /// The releases ended, or the guards do not know them.
    case ended
  }

  /// Collects from as many guards as are needed; those that do not help are replaced.
  ///
  /// - Parameter session: the session.
  /// - Returns: the secret of the key slot, or why there is none yet.
  /// - Throws: `guards-unreachable`, `guard-wrong`; `interrupted`, `io`.
  mutating func collect(_ session: borrowing LoginSession) throws(UserMessage) -> Collected {
    let needed = way.threshold.needed
    var shares = CollectedShares(threshold: way.threshold)
    var waiting: [GuardSeat] = []
    var faults: [(server: AskedGuard, fault: GuardFault)] = []
    for seat in way.seats {
      if session.isBegun(at: seat.server.guardID) {
        waiting.append(seat)
      } else {
        faults.append((seat.server, .missing("no release was begun there")))
      }
    }
    while !shares.isComplete {
      let missing = needed - shares.points.count
      guard waiting.count >= missing else { return try end(faults, shares.points.count) }
      let batch = Array(waiting.prefix(missing))
      waiting.removeFirst(missing)
      var calls: [GuardCaller.Call] = []
      for seat in batch {
        calls.append(
          GuardCaller.Call(
            .collect,
            CollectRequest(account: try seat.account(), sessionKey: session.publicKey),
            to: seat.server, by: try seat.askKey()))
      }
      let answers = try caller.answers(to: calls, as: CollectAnswer.self, repeats: 1)
      for (seat, answer) in zip(batch, answers) {
        let share: SecretBytes
        do throws(GuardFault) {
          share = try self.share(seat, answer.get(), session)
        } catch {
          faults.append((seat.server, error))
          continue
        }
        do throws(GuardProtocolError) {
          try shares.add(share, at: seat.point)
        } catch {
          throw UserMessage(error)
        }
      }
    }
    liars = faults.filter(\.fault.isWrong)
    do throws(GuardProtocolError) {
      return .secret(
        try GuardedSecret.login(
          shared: shares.combine(), nonce: header.nonce, keyID: way.keyID))
    } catch {
      throw UserMessage(error)
    }
  }

  /// The guard's share, after the digest of its secret was compared.
  private func share(
    _ seat: GuardSeat, _ answer: CollectAnswer, _ session: borrowing LoginSession
  ) throws(GuardFault) -> SecretBytes {
    let part = header.guards[seat.point - 1]
    guard let secret = try? SealedBox.open(answer.sealed, secret: session.secret),
      secret.withBytes({ Digest(of: $0) }) == part.shareDigest,
      let share = try? ShareMask.login(
        unsafe SecretBytes(copying: part.maskedShare.span.bytes), secret: secret,
        keyID: way.keyID, point: seat.point)
    else { throw .wrong("its secret is not the one that was enrolled") }
    return share
  }

  /// Why too few guards released.
  private func end(
    _ faults: [(server: AskedGuard, fault: GuardFault)], _ released: Int
  ) throws(UserMessage) -> Collected {
    func count(_ isMeant: (GuardFault) -> Bool) -> Int { faults.count { isMeant($0.fault) } }
    if count({ $0 == .refused(.disabled) }) >= way.threshold.blocking { return .vetoed }
    let times = faults.compactMap { item -> UInt64? in
      if case .refused(.tooEarly(let time)) = item.fault { time } else { nil }
    }.sorted()
    let lacking = way.threshold.needed - released
    if times.count >= lacking, lacking > 0 { return .waiting(times[lacking - 1]) }
    let isEnded = count { $0 == .refused(.unknown) || $0 == .refused(.disabled) }
    if isEnded >= way.threshold.blocking { return .ended }
    throw .tooFewGuards(faults, way, next: nil)
  }
}
