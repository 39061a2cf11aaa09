internal import CSPP
internal import GuardProtocol

/// An account at the moment of a request.
struct AccountMoment: Sendable {
  let row: GuardRow
  var account: StoredAccount?
  let now: UInt64
}

/// The way of a request to an account and back.
extension GuardAccountService {
  /// The readings of one request before it gives up: each one lost against somebody else's change.
  private static let attempts = 64

  /// Looks at the clock; a jump halts all processes.
  func look() async throws(GuardStoreError) -> (row: GuardRow, reading: ClockWatch.Reading) {
    let (row, time) = try await store.row()
    let reading = watch.read(row, time)
    if case .jumped = reading { try await store.halt(since: row) }
    return (row, reading)
  }

  /// Reads an account, if the clock allows this call.
  func moment(
    _ id: GuardAccountID, for call: GuardCall
  ) async throws(CallFailure) -> AccountMoment {
    do throws(GuardStoreError) {
      let found = try await store.find(id)
      guard !found.row.isStopped else { throw .stopped }
      let reading = watch.read(found.row, found.time)
      if case .jumped = reading { try await store.halt(since: found.row) }
      var moment = AccountMoment(row: found.row, account: found.account, now: reading.time)
      if case .good(let now) = reading {
        if now >= found.row.clock + Self.rememberingInterval {
          try await remember(now)
        }
        try await endExpired(&moment)
        return moment
      }
      if call.worksWithoutClock { return moment }
    } catch {
      throw .store(error)
    }
    throw .refused(.clock)
  }

  /// Stores the time, and ends the enrolments that are over.
  func remember(_ now: UInt64) async throws(GuardStoreError) {
    try await store.remember(
      now, endingEnrolmentsBefore: now - min(now, AccountLife.confirmationTime))
  }

  /// Makes the end of an enrolment durable before somebody hears of it: it is forever.
  private func endExpired(_ moment: inout AccountMoment) async throws(GuardStoreError) {
    guard let old = moment.account, old.life.isExpired(at: moment.now) else { return }
    var ended = old
    ended.retire()
    // Where it is stale, somebody else has just changed it; the caller's own change fails then.
    _ = try await store.replace(old, by: ended, .expired, in: moment.row, at: moment.now)
    moment.account = ended
  }

  /// The account of a request; a key of another role or account is answered like an unknown one.
  func account(
    in moment: AccountMoment, for call: GuardCall, by key: SigningKey
  ) throws(CallFailure) -> StoredAccount {
    guard let account = moment.account else { throw .refused(.unknown) }
    let expected: SigningKey? =
      switch call.signer {
      case .ask: account.askKey
      case .reset: account.resetKey
      case .owner: account.ownerKey
      case .guardKey: nil
      }
    guard key == expected else { throw .refused(.unknown) }
    return account
  }

  /// Changes an account durably.
  ///
  /// - Parameters:
  ///   - id: the account.
  ///   - call: the call, for its key and whether it needs the clock.
  ///   - key: the key that signed.
  ///   - event: the change.
  ///   - change: changes a copy at a time; it may run several times.
  /// - Returns: the result of `change`.
  /// - Throws: ``CallFailure``.
  func change<Result: Sendable>(
    _ id: GuardAccountID, _ call: GuardCall, by key: SigningKey, _ event: AccountEvent,
    _ change: (inout StoredAccount, UInt64) throws(CallFailure) -> Result
  ) async throws(CallFailure) -> Result {
    for _ in 0..<Self.attempts {
      let moment = try await moment(id, for: call)
      let old = try account(in: moment, for: call, by: key)
      var account = old
      let result = try change(&account, moment.now)
      if account == old { return result }
      do throws(GuardStoreError) {
        let outcome = try await store.replace(
          old, by: account, event, in: moment.row, at: moment.now)
        if outcome == .done { return result }
      } catch {
        throw .store(error)
      }
    }
    throw .store(.unavailable("too many changes of one account"))
  }
}

extension StoredAccount {
  /// Changes a PIN account; another kind is answered like an unknown account.
  mutating func changePIN<Result>(
    _ change: (inout PINAccount) throws(GuardRefusal) -> Result
  ) throws(CallFailure) -> Result {
    guard case .pin(var account) = state else { throw .refused(.unknown) }
    do throws(GuardRefusal) {
      let result = try change(&account)
      state = .pin(account)
      return result
    } catch {
      throw .refused(error)
    }
  }

  /// Changes a login account; another kind is answered like an unknown account.
  mutating func changeLogin<Result>(
    _ change: (inout LoginAccount) throws(GuardRefusal) -> Result
  ) throws(CallFailure) -> Result {
    guard case .login(var account) = state else { throw .refused(.unknown) }
    do throws(GuardRefusal) {
      let result = try change(&account)
      state = .login(account)
      return result
    } catch {
      throw .refused(error)
    }
  }

  /// The answer that shows its state.
  func answer(at now: UInt64) -> GuardAnswer {
    switch state {
    case .pin(let account): GuardAnswer(AccountAnswer(account))
    case .login(let account): GuardAnswer(AccountAnswer(account, at: now))
    }
  }
}
