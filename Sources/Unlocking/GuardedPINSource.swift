package import BackupFolder
internal import CSPP
package import CommandKit
internal import GuardProtocol
package import SecretMemory
internal import SecurityKeys

/// A PIN that guards let be tried seldom.
struct GuardedPINSource: MasterKeySource {
  let cost = SourceCost.named

  func serves(_ terms: UnlockTerms) -> Bool { !terms.needsSecurityKey }

  func masterKey(_ request: inout UnlockRequest) async throws(UserMessage) -> UnlockedMasterKey? {
    let opened = try GuardedPINOpening.run(&request)
    let output = request.unlock.output(request.world)
    for line in GuardReset.lines(opened.notReset) { output.note(line) }
    return UnlockedMasterKey(
      masterKey: opened.masterKey.copy(), keyID: opened.slot.keyID, slot: opened.slot,
      secret: opened.secret.copy())
  }
}

/// A backup that was opened with a PIN and guards.
package struct GuardedPINOpening: ~Copyable {
  package let masterKey: SharedMasterKey
  package let slot: KeySlot
  package let secret: SecretBytes
  /// The guards, as they are after the tries were set back.
  package let survey: GuardSurvey
  /// The guards at which the tries were not set back, and why.
  package let notReset: [(server: AskedGuard, fault: GuardFault)]

  /// Tries one PIN at one way in.
  ///
  /// 1. The person confirms guards that this computer does not know.
  /// 2. All guards tell their state.
  /// 3. The PIN is read, and as many guards as are needed evaluate.
  /// 4. If the PIN is right, the tries are set back at all guards. Else nothing more is sent.
  /// 5. The person is told if somebody else used the guards since this computer last did.
  ///
  /// - Parameter request: the request of a command.
  /// - Returns: the open way in.
  /// - Throws: `pin-invalid`, `guard-tries-used`, `too-early`, `guards-unreachable`, `guard-wrong`,
  ///   and the errors of the sources of a PIN.
  package static func run(_ request: inout UnlockRequest) throws(UserMessage) -> GuardedPINOpening {
    let (unlock, world) = (request.unlock, request.world)
    let choice = GuardedSlotChoice(
      slots: try request.scan().keySlots, guards: unlock.guards, common: unlock.common,
      world: world)
    let slot = try choice.slot("PIN") { if case .guardedPIN = $0.kind { true } else { false } }
    guard case .guardedPIN(let header) = slot.kind,
      let way = GuardWay(slot, moved: unlock.guards.servers)
    else {
      throw UserMessage(.internalError, "a way in of another kind was chosen")
    }
    try choice.confirm(way, slot)
    let caller = try GuardCaller(unlock.guards.addresses, unlock.common, world)
    let survey = try GuardSurvey(way, header.schedule, caller, world)
    var attempt = GuardedPINAttempt(survey, header, caller, world)
    try attempt.requireEnough()
    try report(survey, header.schedule.secretName, unlock, world)
    let asker = try GuardPINAsker(unlock.guards, unlock.common, world)
    let pin = try asker.pin(
      header.schedule.secretName, for: attempt.chosen, triesLeft: survey.triesLeft)
    let output = unlock.output(world)
    // From now on this computer takes the guards' counters for its own.
    defer { tell(ofOthers: attempt.survey, header.schedule.secretName, output) }
    let secret = try attempt.secret(pin)
    if attempt.isForgetful {
      output.note(
        "keybackup: this computer could not remember the try, and will ask about it the next time")
    }
    output.warn(liars: attempt.liars)
    guard let master = try? slot.unwrap(secret: secret) else {
      guard slot.hasRecipient(of: secret) else {
        throw .wrongGuardPIN(attempt.survey, what: header.schedule.secretName, at: world.now())
      }
      // The PIN was right: its try is given back, as after a success.
      throw .changedGuardFile(
        header.schedule.secretName, isReset: attempt.reset(secret).isEmpty)
    }
    request.damaged += slot.findings(secret: secret, reason: "does not open with its own PIN")
    let notReset = attempt.reset(secret)
    return GuardedPINOpening(
      masterKey: SharedMasterKey(master), slot: slot, secret: secret, survey: attempt.survey,
      notReset: notReset)
  }

  /// Says that somebody else used the guards since this computer last did.
  private static func tell(ofOthers survey: GuardSurvey, _ what: String, _ output: Output) {
    guard survey.hasOthers else { return }
    output.note(
      "keybackup: somebody else used the guards of \"\(survey.way.name)\" since this computer "
        + "last did")
    output.note(
      "hint: if it was not you on another computer, make a new \(what): keybackup guard renew "
        + "\(survey.way.keyID.hex.prefix(ShortID.leastShown))")
  }

  /// Reports guards that were set back, and asks before a PIN is tried while somebody is guessing.
  private static func report(
    _ survey: GuardSurvey, _ what: String, _ unlock: UnlockOptions, _ world: World
  ) throws(UserMessage) {
    let output = unlock.output(world)
    for server in survey.setBack {
      output.warn(
        "keybackup: the guard \(server.title) restored an old copy of its accounts, so it may give "
          + "tries again that were spent")
      output.warn(
        "hint: ask its operator what happened; to make a new \(what): keybackup guard renew")
    }
    for server in survey.moved {
      output.note(
        "keybackup: the guard \(server.title) was moved, so it gives at most "
          + "\(DelayLimiter.importedTries) tries until your \(what) has opened the backup")
    }
    let unknown = survey.unknownTries
    guard unknown > 0, !unlock.guards.allowSpentTries else { return }
    let text =
      "\(UserMessage.tries(unknown)) of the \(what) \(unknown == 1 ? "was" : "were") spent that this "
      + "computer does not know of"
    let prompter = unlock.common.prompter(world)
    guard prompter.canAsk else {
      throw UserMessage(
        .denied, word: "tries-spent", text,
        hint:
          "somebody may be guessing your \(what) with a copy of the folder\nif it was you on another "
          + "computer, add --allow-spent-tries\nif not, use another way in and make a new \(what): "
          + "keybackup guard renew")
    }
    prompter.tell(
      "\(text). If it was not you on another computer, somebody is guessing your \(what) with a "
        + "copy of the folder. After a right \(what), they have all tries again.")
    guard try prompter.confirm("Try your \(what) all the same?") else {
      throw UserMessage(
        .denied, "not confirmed; no try was spent",
        hint: "use another way in and make a new \(what): keybackup guard renew")
    }
  }
}
