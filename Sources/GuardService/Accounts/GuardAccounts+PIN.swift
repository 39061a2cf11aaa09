internal import CSPP
internal import GuardProtocol
internal import RistrettoVOPRF
internal import SecretMemory

/// The calls of PIN accounts.
extension GuardAccounts {
  func evaluate(
    _ request: EvaluateRequest, by key: SigningKey
  ) async throws(CallFailure) -> GuardAnswer {
    try await change(request.account, .evaluate, by: key, .tried) {
      account, now throws(CallFailure) in
      let sealed = account
      var damage: GuardStoreError?
      let (evaluation, pin) = try account.changePIN { pin throws(GuardRefusal) in
        let answer = try pin.evaluate(request.element, counter: request.counter, at: now) {
          () throws(VOPRFError) in
          do throws(GuardStoreError) {
            return try self.oprfKey(of: sealed).evaluate([request.element])
          } catch {
            damage = error
            throw .noKey
          }
        }
        return (answer.evaluation, pin)
      }
      if let damage { throw .store(damage) }
      return GuardAnswer(EvaluateAnswer(evaluation, of: pin))
    }
  }

  func reset(
    _ request: CounterRequest, by key: SigningKey
  ) async throws(CallFailure) -> GuardAnswer {
    try await change(request.account, .reset, by: key, .reset) {
      account, now throws(CallFailure) in
      try account.changePIN { pin throws(GuardRefusal) in
        try pin.reset(counter: request.counter, at: now)
      }
      account.isImported = false
      return account.answer(at: now)
    }
  }

  /// Opens an account's OPRF key.
  func oprfKey(of account: StoredAccount) throws(GuardStoreError) -> OPRFKey {
    let scalar = try SealedShare.open(account, by: key)
    do throws(VOPRFError) {
      return try OPRFKey(scalar, mode: .verifiable)
    } catch {
      throw .damaged("share")
    }
  }
}
