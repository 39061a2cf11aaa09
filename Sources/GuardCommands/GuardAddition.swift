internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import GuardProtocol
internal import SecretMemory
internal import SyncFolders
internal import Unlocking

/// Makes a way in with guards, from a plan to the file of the key slot.
///
/// The order is fixed. What is to be continued is stored first, then the accounts with their owner
/// key are logged. Only then the guards are asked: to create, to evaluate once, to confirm. The
/// file of the key slot comes last.
struct GuardAddition {
  /// The kind of a way in.
  enum Kind: Equatable {
    case pin(DelaySchedule, isPassword: Bool)
    case login(ServiceURL, clientID: String, ReleaseDelay)

    /// The name where the person gives none.
    var label: String {
      switch self {
      case .pin(_, let isPassword): isPassword ? "Password with guards" : "PIN with guards"
      case .login(let issuer, _, _): "Login at \(issuer.host)"
      }
    }
  }

  /// The person's wish.
  struct Plan {
    let kind: Kind
    let guards: [NamedGuard]
    let needed: Int
    let label: String
    /// The key slot that the new one replaces.
    let replaces: KeyID?
  }

  let unlock: UnlockOptions
  let new: NewGuardOptions
  let plan: Plan
  let place: SyncedFolderOption
  let world: World

  private var output: Output { unlock.output(world) }

  /// Opens the backup and makes the way in.
  func run() async throws(UserMessage) -> ExitReason {
    let backup = try await unlock.backup(world, for: .writing, using: GuardOptions.own)
    try checkPlaces(besides: backup.folder.path)
    let caller = try GuardCaller(unlock.guards.addresses, unlock.common, world)
    var opened = try await backup.unlock(unlock, world)
    return try run(in: &opened, caller)
  }

  /// Makes the way in of an open backup.
  func run(
    in opened: inout OpenNamespace, _ caller: GuardCaller
  ) throws(UserMessage) -> ExitReason {
    let masterKey = opened.sharedMasterKey
    var draft: GuardDraft
    if let waiting = try waitingDraft(masterKey, opened) {
      draft = waiting
      for place in draft.seats.indices {
        if let code = new.invite(for: draft.seats[place].server.url) {
          draft.seats[place].invite = code
        }
      }
      output.note("An unfinished way in was found. It is continued with its own guards and PIN.")
      if try isEnrolled(draft.keyID, opened) {
        GuardDraft.forget(opened.id, world)
        return try report(draft, opened)
      }
      try requirePlace(for: draft)
    } else {
      // An earlier run's file is that of another PIN.
      if let path = new.pinOut { try OutputFile.requireCreatable(path) }
      // Later, when the guards have made accounts, it could only fail.
      do throws(BackupFolderError) {
        try opened.requireOtherKind(besideHeirOf: plan.replaces)
      } catch {
        throw UserMessage(error)
      }
      draft = try newDraft(caller)
      try draft.keep(masterKey.copy(), world)
    }
    try log(draft, in: &opened)
    let enrolment = GuardEnrolment(caller: caller)
    if !draft.hasShares {
      try enrolment.create(&draft, token: try token(draft, caller))
      if case .pin = draft.terms {
        try draft.keep(masterKey.copy(), world)
        try enrolment.evaluate(&draft)
      }
      _ = try draft.kind()
      try draft.keep(masterKey.copy(), world)
    }
    try enrolment.confirm(draft, world)
    try handOver(draft)
    let secret = try draft.secret()
    do throws(BackupFolderError) {
      try opened.addKeySlot(
        Enrolment(
          label: draft.label, kind: kind(draft), keyID: draft.keyID, replaces: draft.replaces),
        secret: secret, confirmedBy: secret.copy())
    } catch {
      let message = UserMessage(error)
      guard error.mayPass else { throw message }
      throw message.adding(
        hint: "run the same command again: the guards have the accounts already")
    }
    GuardDraft.forget(opened.id, world)
    output.warn(viewProblem: opened.viewProblem)
    return try report(draft, opened)
  }

  // MARK: The draft

  /// The unfinished way in that is to be continued; nil: there is none.
  private func waitingDraft(
    _ masterKey: SharedMasterKey, _ opened: borrowing OpenNamespace
  ) throws(UserMessage) -> GuardDraft? {
    if new.restart {
      GuardDraft.forget(opened.id, world)
      return nil
    }
    guard let draft = try GuardDraft.waiting(masterKey.copy(), world) else { return nil }
    let age = UInt64(max(0, world.now())).subtractingReportingOverflow(draft.createdAt)
    let isDone = try isEnrolled(draft.keyID, opened)
    if !isDone, age.overflow || age.partialValue > GuardDraft.lifetime {
      output.note("An unfinished way in was more than a day old, and was given up.")
      GuardDraft.forget(opened.id, world)
      return nil
    }
    guard draft.seats.count == plan.guards.count,
      zip(plan.guards, draft.seats).allSatisfy({ $0.means($1.server) }),
      draft.threshold.needed == plan.needed,
      draft.replaces == plan.replaces, isSameKind(draft.terms)
    else {
      throw UserMessage(
        .usage, "another way in with guards is unfinished: \(draft.seats.map(\.server).names)",
        hint: "to go on with it, run the command that you began it with\n"
          + "to give it up, add --restart")
    }
    return draft
  }

  private func isSameKind(_ terms: GuardDraft.Terms) -> Bool {
    switch (terms, plan.kind) {
    case (.pin(let schedule, _), .pin(let planned, _)): schedule == planned
    case (.login(let issuer, let clientID, let delay), .login(let other, let otherID, let planned)):
      issuer == other && clientID == otherID && delay == planned
    default: false
    }
  }

  private func isEnrolled(
    _ key: KeyID, _ opened: borrowing OpenNamespace
  ) throws(UserMessage) -> Bool {
    do throws(BackupFolderError) {
      return try opened.keySlots().contains { $0.keyID == key && $0.isEnrolled == true }
    } catch {
      throw UserMessage(error)
    }
  }

  /// Asks the guards who they are, shows what they can do, and gets a PIN.
  private func newDraft(_ caller: GuardCaller) throws(UserMessage) -> GuardDraft {
    let servers = try GuardIntroductions(plan: plan, caller: caller).servers()
    guard let threshold = GuardThreshold(of: servers.count, needing: plan.needed) else {
      throw UserMessage(.usage, "more than half of the guards must be needed")
    }
    let terms: GuardDraft.Terms
    switch plan.kind {
    case .pin(let schedule, _):
      terms = .pin(
        schedule, try PINStretching.new())
    case .login(let issuer, let clientID, let delay):
      terms = .login(issuer: issuer, clientID: clientID, delay)
    }
    try agree(GuardPromise(terms: terms, threshold: threshold, servers: servers))
    var generated = SecretBytes(zeroed: 0)
    var stretched = SecretBytes(zeroed: 0)
    if case .pin(_, let isPassword) = plan.kind, case .pin(_, let stretching) = terms {
      let pin: SecretBytes
      if isPassword || new.isOwn {
        pin = try new.ownPIN(isPassword: isPassword, unlock.common, world)
      } else {
        pin = NewGuardPIN.random(digits: new.digits ?? 6)
        generated = pin.copy()
      }
      do throws(GuardProtocolError) {
        stretched = try stretching.derive(pin)
      } catch {
        throw UserMessage(error)
      }
    }
    return GuardDraft(
      keyID: .random(), label: plan.label, replaces: plan.replaces, terms: terms,
      threshold: threshold, nonce: Randomness.bytes(count: KeyHeader.guardNonceSize),
      createdAt: UInt64(max(0, world.now())),
      seats: servers.map { GuardDraft.Seat(server: $0, invite: new.invite(for: $0.url)) },
      seed: .random(count: 32), stretched: stretched, generated: generated)
  }

  private func agree(_ promise: GuardPromise) throws(UserMessage) {
    let prompter = unlock.common.prompter(world)
    for line in promise.guards + promise.lines + [GuardPromise.noSecondWay] { output.note(line) }
    if new.yes { return }
    guard prompter.canAsk else {
      throw UserMessage(
        .usage, "nobody can be asked whether these are the right guards",
        hint: promise.servers.map { "compare: \($0.title)" }.joined(separator: "\n")
          + "\nname each with its ID, and add --yes: --server ID=URL")
    }
    guard try prompter.confirm("Compare the IDs with those that the operators gave you. Go on?")
    else { throw UserMessage(.denied, "not confirmed; nothing was changed") }
  }

  // MARK: Steps

  private func token(
    _ draft: borrowing GuardDraft, _ caller: GuardCaller
  ) throws(UserMessage) -> String? {
    guard case .login(let issuer, let clientID, _) = draft.terms else { return nil }
    unlock.common.prompter(world).tell("The new way in needs a login at \(issuer.host) now.")
    let login = LoginConversation(
      issuer: issuer, clientID: clientID, keyID: draft.keyID,
      isPasted: unlock.guards.pasteLogin, common: unlock.common, world: world)
    return try login.token(for: try GuardEnrolment.sessionKey(draft.sessionKey), caller)
  }

  /// Logs the accounts with their owner key, unless an earlier run did.
  private func log(
    _ draft: borrowing GuardDraft, in opened: inout OpenNamespace
  ) throws(UserMessage) {
    let kind: GuardAccount.Kind
    switch draft.terms {
    case .pin: kind = .pin
    case .login: kind = .login
    }
    var accounts: [GuardAccount] = []
    for seat in draft.guardSeats {
      accounts.append(
        GuardAccount(
          account: try seat.account(), guardID: seat.server.guardID, url: seat.server.url,
          keyID: draft.keyID, kind: kind, createdAt: draft.createdAt))
    }
    try opened.deciding(UserMessage.init) { (opened) throws(UserMessage) in
      do {
        let logged = try opened.guardAccounts()
        if logged.contains(where: { !$0.isEarlier && $0.accounts == accounts }) { return }
        try opened.addGuardAccounts(
          try GuardAccounts(ownerKey: draft.ownerKey, accounts: accounts))
      } catch let error as BackupFolderError {
        throw UserMessage(error)
      } catch {
        throw UserMessage(.internalError, "the accounts at the guards cannot be logged")
      }
    }
  }

  private func kind(_ draft: borrowing GuardDraft) -> KeyHeader.Kind {
    // It was made once already, after the shares were there.
    (try? draft.kind()) ?? .unknown("guarded")
  }

  // MARK: The PIN and the result

  /// Refuses a random PIN that could not be shown or written, before anything is made.
  func checkPlaces(besides folder: String) throws(UserMessage) {
    guard case .pin(_, isPassword: false) = plan.kind, !new.isOwn else { return }
    guard new.pinOut != nil || new.reveal || (output.resultIsTerminal && !output.json) else {
      throw UserMessage(
        .usage, "there is no terminal to show the PIN on",
        hint: "write it to a file with --pin-out FILE, or print it with --reveal")
    }
    let printed = new.pinOut == nil || new.reveal ? output.resultFile : nil
    try place.requirePrivate(new.pinOut, printed: printed, besides: folder, world)
    guard let path = new.pinOut else { return }
    // An interrupted run may have written it. Only the open backup can say what to.
    if !new.restart, FileCheck.exists(path), GuardDraft.isAnyWaiting(world) { return }
    try OutputFile.requireCreatable(path)
  }

  /// Refuses a file for the PIN of an unfinished way in, unless an earlier run has written it.
  private func requirePlace(for draft: borrowing GuardDraft) throws(UserMessage) {
    guard let path = new.pinOut, draft.generated.count > 0,
      !OutputFile.isWritten(line(draft), at: path)
    else { return }
    do throws(UserMessage) {
      try OutputFile.requireCreatable(path)
    } catch {
      throw error.adding(
        hint: "the unfinished way in goes on with another name after --pin-out, too")
    }
  }

  /// The random PIN and a line end.
  private func line(_ draft: borrowing GuardDraft) -> SecretBytes {
    var line = SecretText()
    line.append(text: draft.generated.copy())
    line.append("\n")
    return line.finish()
  }

  /// Shows the random PIN before it can open anything: a way in that nobody has the PIN of would
  /// look like one.
  private func handOver(_ draft: borrowing GuardDraft) throws(UserMessage) {
    guard draft.generated.count > 0 else { return }
    let text = line(draft)
    if let path = new.pinOut, !OutputFile.isWritten(text, at: path) {
      try OutputFile.write(text, to: path, world.run)
    }
    guard new.pinOut == nil || new.reveal, !output.json else { return }
    try output.result(secret: text)
    output.note(
      "Write this PIN down now; it is not shown again. Wait for \"opens the backup now\" before you "
        + "rely on it.")
  }

  private func report(
    _ draft: borrowing GuardDraft, _ opened: borrowing OpenNamespace
  ) throws(UserMessage) -> ExitReason {
    let promise = GuardPromise(
      terms: draft.terms, threshold: draft.threshold, servers: draft.seats.map(\.server))
    let isPIN = if case .pin = draft.terms { true } else { false }
    var json: JSONOutput = [
      "namespace_id": .string(opened.id.hex), "key_id": .string(draft.keyID.hex),
      "kind": .string(isPIN ? "guarded_pin" : "guarded_login"), "label": .string(draft.label),
      "threshold": .number(draft.threshold.needed),
      "replaces": .optional(draft.replaces?.hex), "pin_out": .optional(new.pinOut),
      "guesses": .array(promise.guesses.map(JSONOutput.number)),
      "guards": .array(
        promise.servers.map {
          ["guard_id": .string($0.guardID.hex), "url": .string($0.url.text)]
        }),
    ]
    if new.reveal, draft.generated.count > 0 {
      json["pin"] = .string(
        draft.generated.withBytes { bytes in
          unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        })
    }
    let name = PrintableText.name(draft.label, limit: 40)
    try output.result(
      "\"\(name)\" opens the backup now, with \(draft.threshold.needed) of "
        + "\(counted(draft.threshold.guards, "guard")).",
      json: json, ofChange: "the way in was made all the same")
    guard !output.json else { return .success }
    let option = isPIN ? "--guard-pin" : "--guard-login"
    output.note(required: "1. Write down the guards' addresses and IDs:")
    for server in promise.servers {
      output.note(required: "     \(server.url.text)  \(server.guardID.hex)")
    }
    output.note(required: "2. Try it now, best on another computer: keybackup restore \(option)")
    output.note(required: "3. Keep a security key or a recovery kit too.")
    return .success
  }
}

extension BackupFolderError {
  /// Whether the same call may succeed later: the system, not the backup, refused.
  fileprivate var mayPass: Bool {
    switch self {
    case .incomplete, .unreachable, .interrupted, .permissionDenied, .io, .diskFull, .busy: true
    default: false
    }
  }
}
