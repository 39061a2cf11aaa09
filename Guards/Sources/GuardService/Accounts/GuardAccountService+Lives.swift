internal import CSPP
internal import GuardProtocol

/// The calls that accounts of both kinds have.
extension GuardAccountService {
  func confirm(
    _ request: CounterRequest, by key: SigningKey
  ) async throws(CallFailure) -> GuardAnswer {
    try await change(request.account, .confirm, by: key, .confirmed) {
      account, now throws(CallFailure) in
      if case .pin = account.state {
        try account.changePIN { pin throws(GuardRefusal) in
          try pin.confirm(counter: request.counter, at: now)
        }
      } else {
        try account.changeLogin { login throws(GuardRefusal) in
          try login.confirm(counter: request.counter, at: now)
        }
      }
      return account.answer(at: now)
    }
  }

  func status(
    _ request: AccountRequest, by key: SigningKey
  ) async throws(CallFailure) -> GuardAnswer {
    let moment = try await moment(request.account, for: .status)
    let account = try account(in: moment, for: .status, by: key)
    do throws(GuardRefusal) { try account.life.requireLive(at: moment.now) } catch {
      throw .refused(error)
    }
    return account.answer(at: moment.now)
  }

  func retire(
    _ request: AccountRequest, by key: SigningKey
  ) async throws(CallFailure) -> GuardAnswer {
    try await change(request.account, .retire, by: key, .retired) { account, now in
      account.retire()
      return account.answer(at: now)
    }
  }

  func veto(_ request: VetoRequest, by key: SigningKey) async throws(CallFailure) -> GuardAnswer {
    try await change(request.account, .veto, by: key, .vetoed) {
      account, now throws(CallFailure) in
      try account.changeLogin { login throws(GuardRefusal) in
        try login.veto(request.release, at: now)
      }
      return account.answer(at: now)
    }
  }
}
