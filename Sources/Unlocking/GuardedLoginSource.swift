internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import CommandSupport
internal import SecretMemory
internal import SecurityKeys

/// A login that guards check.
struct GuardedLoginSource: MasterKeySource {
  let cost = SourceCost.named

  func serves(_ terms: UnlockTerms) -> Bool { !terms.needsSecurityKey }

  /// Opens the backup with the secrets that guards release.
  ///
  /// A release that waits for its delay is collected without another login. A new login begins a
  /// new one.
  func masterKey(_ request: inout UnlockRequest) async throws(UserMessage) -> UnlockedMasterKey? {
    let (unlock, world) = (request.unlock, request.world)
    let choice = GuardedSlotChoice(
      slots: try request.scan().keySlots, guards: unlock.guards, common: unlock.common,
      world: world)
    let slot = try choice.slot("login") { if case .guardedLogin = $0.kind { true } else { false } }
    guard case .guardedLogin(let header) = slot.kind, let keyID = slot.keyID,
      let way = GuardWay(slot, moved: unlock.guards.servers)
    else {
      throw UserMessage(.internalError, "a way in of another kind was chosen")
    }
    try choice.confirm(way, slot, issuer: header.issuer.host)
    let caller = try GuardCaller(unlock.guards.addresses, unlock.common, world)
    var attempt = GuardedLoginAttempt(way, header, caller)
    if let session = try LoginSession.waiting(keyID, world), session.isBegun,
      !unlock.guards.newLogin
    {
      if session.hasLostTimes {
        unlock.output(world).note(
          "keybackup: \(ShellWord.quoted(session.timesFile)) is damaged, so all guards are asked for "
            + "the release")
      }
      do throws(UserMessage) {
        if let secret = try collected(&attempt, session) {
          return try opened(secret, slot, session, attempt, &request)
        }
      } catch  where [.dataInvalid, .noAuthenticator].contains(error.code) {
        throw error.adding(hint: "or begin with a new login: --new-login")
      }
    }
    let login = LoginConversation(
      issuer: header.issuer, clientID: header.clientID, keyID: keyID,
      isPasted: unlock.guards.pasteLogin, common: unlock.common, world: world)
    try login.requirePerson()
    let prompter = unlock.common.prompter(world)
    prompter.tell("\"\(way.name)\" needs a login at \(header.issuer.host).")
    var session = try LoginSession.new(keyID, world)
    do throws(UserMessage) {
      let token = try login.token(for: session.publicKey, caller)
      OwnReleases.note(session.release, of: keyID, isUsed: false, world)
      try attempt.begin(&session, token)
    } catch {
      session.forget()
      throw error
    }
    guard let secret = try collected(&attempt, session) else {
      throw UserMessage(
        .io, "the guards do not know the release that they have just begun",
        hint: "try again; to see what is pending: keybackup guard status")
    }
    return try opened(secret, slot, session, attempt, &request)
  }

  /// The secret of the key slot; nil where the release ended.
  ///
  /// - Throws: `too-early`, `denied` after a veto, and the errors of the guards.
  private func collected(
    _ attempt: inout GuardedLoginAttempt, _ session: borrowing LoginSession
  ) throws(UserMessage) -> SecretBytes? {
    switch try attempt.collect(session) {
    case .secret(let secret): return secret
    case .waiting(let time):
      throw UserMessage(
        .incomplete, word: "too-early",
        "the guards release the backup at \(PrintableTime.minute(time)) UTC",
        hint: "run the same command again then, on this computer; it needs no second login\n"
          + "to end the release: keybackup guard veto \(session.release.hex)")
    case .vetoed:
      session.forget()
      throw UserMessage(
        .denied, word: "vetoed", "somebody who can open the backup stopped this login",
        hint: "if it was not you, use another way in; to try again, log in once more")
    case .ended:
      session.forget()
      return nil
    }
  }

  private func opened(
    _ secret: consuming SecretBytes, _ slot: KeySlot, _ session: borrowing LoginSession,
    _ attempt: GuardedLoginAttempt, _ request: inout UnlockRequest
  ) throws(UserMessage) -> UnlockedMasterKey {
    request.unlock.output(request.world).warn(liars: attempt.liars)
    guard let master = try? slot.unwrap(secret: secret) else {
      throw UserMessage(
        .dataInvalid, "the guards released their secrets, and the file of the way in does not open",
        hint: "the file may be damaged: use another way in, then: keybackup key repair")
    }
    OwnReleases.note(session.release, of: attempt.way.keyID, isUsed: true, request.world)
    session.forget()
    request.damaged += slot.findings(secret: secret, reason: "does not open with its own login")
    return UnlockedMasterKey(
      masterKey: master, keyID: slot.keyID, slot: slot, secret: secret)
  }
}
