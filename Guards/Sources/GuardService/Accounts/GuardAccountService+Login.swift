internal import CSPP
internal import GuardProtocol
internal import SecretMemory

/// The calls of login accounts.
extension GuardAccountService {
  func release(
    _ request: ReleaseRequest, by key: SigningKey
  ) async throws(CallFailure) -> GuardAnswer {
    let moment = try await moment(request.account, for: .release)
    let found = try account(in: moment, for: .release, by: key)
    guard case .login = found.state else { throw .refused(.unknown) }
    do throws(GuardRefusal) {
      // A token of no use is not even read.
      try found.life.requireLive(at: moment.now)
      guard found.life.isConfirmed else { throw .unconfirmed }
    } catch {
      throw .refused(error)
    }
    guard let login = found.login else { throw .store(.damaged("login")) }
    let subject = try await subject(
      of: request.idToken, keyID: login.keyID, clientID: login.clientID,
      sessionKey: request.sessionKey, at: moment.now)
    guard subject == login.subject else { throw .refused(.malformed) }
    return try await change(request.account, .release, by: key, .released) {
      account, now throws(CallFailure) in
      let release = try account.changeLogin { login throws(GuardRefusal) in
        try login.begin(request.sessionKey, at: now)
      }
      return GuardAnswer(ReleaseAnswer(release))
    }
  }

  func collect(
    _ request: CollectRequest, by key: SigningKey
  ) async throws(CallFailure) -> GuardAnswer {
    try await change(request.account, .collect, by: key, .collected) {
      account, now throws(CallFailure) in
      let old = account
      var damage: GuardStoreError?
      let sealed = try account.changeLogin { login throws(GuardRefusal) in
        try login.collect(request.sessionKey, at: now) {
          do throws(GuardStoreError) {
            return try self.share(of: old, sealedTo: request.sessionKey)
          } catch {
            damage = error
            return []
          }
        }
      }
      if let damage { throw .store(damage) }
      guard let answer = try? CollectAnswer(sealed: sealed) else {
        throw .store(.damaged("pending"))
      }
      return GuardAnswer(answer)
    }
  }

  /// Checks an ID token for a session key.
  ///
  /// - Returns: the code of its subject.
  func subject(
    of token: String, keyID: KeyID, clientID: String, sessionKey: X25519Key, at now: UInt64
  ) async throws(CallFailure) -> [UInt8] {
    guard let verifier else { throw .refused(.malformed) }
    do throws(GuardRefusal) {
      let verified = try await verifier.subject(
        of: token, nonce: LoginNonce.text(keyID: keyID, sessionKey: sessionKey),
        clientID: clientID, now: now)
      return key.subject(issuer: verified.issuer, subject: verified.subject)
    } catch {
      throw .refused(error)
    }
  }

  /// An account's share, sealed to a session key: 80 bytes.
  func share(
    of account: StoredAccount, sealedTo sessionKey: X25519Key
  ) throws(GuardStoreError) -> [UInt8] {
    let share = try SealedShare.open(account, by: key)
    do throws(SecretMemoryError) {
      return try share.withBytes { share throws(SecretMemoryError) in
        try SealedBox.seal(share, to: sessionKey.bytes)
      }
    } catch {
      throw .damaged("session key")
    }
  }
}
