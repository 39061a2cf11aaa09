internal import CSPP
internal import GuardProtocol
internal import RistrettoVOPRF
internal import SecretMemory

/// The calls of PIN accounts.
extension GuardAccountService {
  func evaluate(
    _ request: EvaluateRequest, by key: SigningKey
  ) async throws(CallFailure) -> GuardAnswer {
    try await change(request.account, .evaluate, by: key, .tried) {
      account, now throws(CallFailure) in
      let sealed = account
      var damage: GuardStoreError?
      do throws(CallFailure) {
        return try account.changePIN { pin throws(GuardRefusal) in
          let (evaluation, _) = try pin.evaluate(
            request.element, counter: request.counter, at: now
          ) { () throws(VOPRFError) in
            let key: OPRFKey
            do throws(GuardStoreError) { key = try self.oprfKey(of: sealed) } catch {
              damage = error
              throw .noKey
            }
            return try key.evaluate([request.element])
          }
          return GuardAnswer(EvaluateAnswer(evaluation, of: pin))
        }
      } catch {
        throw damage.map { .store($0) } ?? error
      }
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
