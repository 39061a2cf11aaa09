internal import CSPP
internal import GuardProtocol
internal import RistrettoVOPRF
internal import SecretMemory

/// New accounts.
extension GuardAccountService {
  func create(
    _ request: CreateAccountRequest, by key: SigningKey
  ) async throws(CallFailure) -> GuardAnswer {
    // Otherwise anyone with the folder could reset, veto or retire.
    guard key != request.resetKey, key != request.ownerKey else { throw .refused(.malformed) }
    while true {
      let moment = try await moment(GuardAccountID(of: key), for: .createAccount)
      let login = try await login(request.kind, at: moment.now)
      if let account = moment.account {
        return try again(account, request, login, at: moment.now)
      }
      let invite = try inviteHash(request.invite)
      do throws(GuardStoreError) {
        let account = try newAccount(request, login, by: key, at: moment.now)
        let answer = try self.answer(account, request)
        switch try await store.add(account, invite: invite, in: moment.row, at: moment.now) {
        case .done: return answer
        case .stale: continue
        case .noInvite: break
        }
      } catch {
        throw .store(error)
      }
      throw .refused(.unauthorised)
    }
  }

  /// The answer to a repetition: the same account while it is the same request.
  ///
  /// A share is not given again once the account is confirmed: that would leave out its delay.
  private func again(
    _ account: StoredAccount, _ request: CreateAccountRequest, _ login: StoredAccount.Login?,
    at now: UInt64
  ) throws(CallFailure) -> GuardAnswer {
    do throws(GuardRefusal) { try account.life.requireLive(at: now) } catch {
      throw .refused(error)
    }
    let isSame =
      account.resetKey == request.resetKey && account.ownerKey == request.ownerKey
      && account.login == login && account.state.terms == request.kind.state(at: now).terms
    guard isSame, login == nil || !account.life.isConfirmed else {
      throw .refused(.counter(account.life.counter))
    }
    do throws(GuardStoreError) { return try answer(account, request) } catch {
      throw .store(error)
    }
  }

  private func answer(
    _ account: StoredAccount, _ request: CreateAccountRequest
  ) throws(GuardStoreError) -> GuardAnswer {
    let part: CreateAccountAnswer.Part =
      switch request.kind {
      case .pin: .oprfKey(try oprfKey(of: account).publicKey)
      case .login(let login): .sealed(try share(of: account, sealedTo: login.sessionKey))
      }
    return GuardAnswer(
      CreateAccountAnswer(account: account.id, counter: account.life.counter, part: part))
  }

  /// Checks the login of a request; nil for the kind `pin`.
  private func login(
    _ kind: CreateAccountRequest.Kind, at now: UInt64
  ) async throws(CallFailure) -> StoredAccount.Login? {
    guard case .login(let login) = kind else { return nil }
    let subject = try await subject(
      of: login.idToken, keyID: login.keyID, clientID: login.clientID,
      sessionKey: login.sessionKey, at: now)
    return StoredAccount.Login(subject: subject, keyID: login.keyID, clientID: login.clientID)
  }

  private func newAccount(
    _ request: CreateAccountRequest, _ login: StoredAccount.Login?, by key: SigningKey,
    at now: UInt64
  ) throws(GuardStoreError) -> StoredAccount {
    var account = StoredAccount(
      askKey: key, resetKey: request.resetKey, ownerKey: request.ownerKey, login: login,
      share: nil, state: request.kind.state(at: now))
    let share =
      login == nil
      ? OPRFKey.random(mode: .verifiable).copyBytes() : SecretBytes.random(count: 32)
    do throws(SecretMemoryError) {
      account.share = try SealedShare.seal(share, for: account, by: self.key)
    } catch {
      throw .damaged("share")
    }
    return account
  }
}

extension CreateAccountRequest.Kind {
  /// The state of a new account.
  fileprivate func state(at now: UInt64) -> StoredAccount.State {
    switch self {
    case .pin(let schedule): .pin(PINAccount(schedule, createdAt: now))
    case .login(let login): .login(LoginAccount(login.delay, createdAt: now))
    }
  }
}
