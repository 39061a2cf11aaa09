package import ArgumentParser
internal import BackupCommands
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import GuardProtocol
internal import SyncFolders
internal import Unlocking

/// `keybackup guard renew`: replaces a way in with guards by a new one.
package struct GuardRenewCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "renew", abstract: "Replace a way in with guards: a new PIN, new guards or both.",
    discussion: """
      Open the backup by any way in. All guards of the new way in must answer. The earlier one \
      stays until you have used the new one.
      Run it again after you have opened the backup with the new way in on another computer. It \
      then ends the earlier accounts. An interrupted run is continued.
      Needed after keybackup rotate --master-key, and when a guard is gone for good.
      """)

  @OptionGroup var unlock: UnlockOptions
  @OptionGroup var new: NewGuardOptions

  @Argument(
    help: ArgumentHelp("The way in: its label, its ID or the start of it.", valueName: "key"))
  var key: String?

  @Option(
    help: ArgumentHelp(
      "A guard's address, or ID=URL; one for each guard (default: those it has).",
      valueName: "url|id=url"))
  var server: [String] = []

  @Option(
    help: ArgumentHelp(
      "How many are needed: more than half of the guards (default: as many as before, or with "
        + "--server as few as allowed).", valueName: "n"))
  var threshold: Int?

  @Flag(help: "End the earlier way in now: you have used the new one.")
  var finish = false

  @OptionGroup var place: SyncedFolderOption

  package init() {}

  package mutating func validate() throws {
    if let key, let problem = KeySlotSelector.problem(key) { throw ValidationError(problem) }
    if let problem = NamedGuard.problem(server) { throw ValidationError(problem) }
    if finish, !server.isEmpty || threshold != nil {
      throw ValidationError("--finish ends the earlier way in and makes no new one")
    }
    if finish { try (new.given + place.given).refuse(besides: "--finish") }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let backup = try await unlock.backup(world, for: .writing, using: GuardOptions.own)
    let caller = try GuardCaller(unlock.guards.addresses, unlock.common, world)
    var opened = try await backup.unlock(unlock, world)
    let slots: [KeySlot]
    do throws(BackupFolderError) {
      slots = try opened.allKeySlots().filter { $0.isGuarded && $0.isEnrolled == true }
    } catch {
      throw UserMessage(error)
    }
    let live = slots.filter { !$0.isRemoved }
    let draft = try unfinished(opened, world)
    if !draft.isThere {
      // A new way in that waits to be used: never a third one.
      let pairs = live.compactMap { heir in
        live.first { $0.keyID == heir.replaces }.map { (old: $0, heir: heir) }
      }
      if let pair = pairs.first, key == nil || isNamed(pair.old, live) || isNamed(pair.heir, live) {
        return try finish(pair.old, pair.heir, &opened, caller, world)
      }
      let left = try GuardRetirement.leftOver(opened, unlock.guards, draft: nil, world)
      if finish { return try retire(left, replaced: nil, caller, world) }
    }
    guard !finish else {
      throw UserMessage(
        .usage, "a renewal is unfinished, so the earlier way in does not end yet",
        hint: "first finish it: keybackup guard renew")
    }
    let old = try chosen(live, draft.replaces)
    let addition = GuardAddition(
      unlock: unlock, new: new, plan: try plan(old), place: place, world: world)
    try addition.checkPlaces(besides: backup.folder.path)
    let code = try addition.run(in: &opened, caller)
    unlock.output(world).note(
      required: "4. After that, end the earlier way in: keybackup guard renew --finish")
    return code
  }

  /// Whether a way in is unfinished, and which one it replaces.
  private func unfinished(
    _ opened: borrowing OpenNamespace, _ world: World
  ) throws(UserMessage) -> (isThere: Bool, replaces: KeyID?) {
    guard !new.restart,
      let draft = try GuardDraft.waiting(opened.sharedMasterKey.copy(), world)
    else { return (false, nil) }
    return (true, draft.replaces)
  }

  private func isNamed(_ slot: KeySlot, _ slots: [KeySlot]) -> Bool {
    guard let key else { return false }
    return (try? KeySlotSelector.group(key, slots))?.contains { $0.keyID == slot.keyID } ?? false
  }

  /// The way in that is renewed.
  private func chosen(
    _ live: [KeySlot], _ replaced: KeyID?
  ) throws(UserMessage) -> KeySlot {
    if let replaced, let slot = live.first(where: { $0.keyID == replaced }) { return slot }
    if let key { return try KeySlotSelector.group(key, live)[0] }
    guard !live.isEmpty else {
      throw UserMessage(
        .noInput, "this backup has no way in with guards", hint: "to see them: keybackup key list")
    }
    guard live.count == 1 else {
      let ids = ShortID.shown(live.map { $0.keyID?.hex ?? "" })
      throw UserMessage(
        .ambiguous, "\(live.count) ways in have guards: name one",
        hint: zip(ids, live).map { id, slot in
          "for \"\(KeySlotSelector.shown(slot))\": keybackup guard renew \(id)"
        }.joined(separator: "\n"))
    }
    return live[0]
  }

  private func plan(_ old: KeySlot) throws(UserMessage) -> GuardAddition.Plan {
    let kind: GuardAddition.Kind
    switch old.kind {
    case .guardedPIN(let header):
      kind = .pin(header.schedule, isPassword: header.schedule == .password && !hasPIN)
    case .guardedLogin(let header):
      kind = .login(header.issuer, clientID: header.clientID, header.delay)
    case .securityKey, .csppEnvelope, .recoveryCode, .unknown:
      throw UserMessage(.internalError, "a way in of another kind was chosen")
    }
    let moved = unlock.guards.servers
    let guards =
      server.isEmpty
      ? (GuardWay(old, moved: moved)?.servers ?? []).map {
        NamedGuard(url: $0.url, guardID: $0.guardID)
      }
      : server.compactMap { NamedGuard($0) }
    let needed =
      threshold ?? (server.isEmpty ? old.guardThreshold?.needed : nil) ?? guards.count / 2 + 1
    if let problem = GuardThreshold.problem(needing: needed, of: guards.count) {
      throw UserMessage(.usage, problem)
    }
    return GuardAddition.Plan(
      kind: kind, guards: guards, needed: needed, label: old.label, replaces: old.keyID)
  }

  private var hasPIN: Bool { new.digits != nil || new.pinOut != nil || new.reveal }

  // MARK: The end of the earlier way in

  /// Ends the earlier way in, once a person says that the new one was used.
  private func finish(
    _ old: KeySlot, _ heir: KeySlot, _ opened: inout OpenNamespace, _ caller: GuardCaller,
    _ world: World
  ) throws(UserMessage) -> ExitReason {
    let name = KeySlotSelector.shown(heir)
    if !finish {
      let prompter = unlock.common.prompter(world)
      guard prompter.canAsk else {
        throw UserMessage(
          .usage, "\"\(name)\" has a new way in already, which nobody has used yet",
          hint: "use it on another computer first, then add --finish")
      }
      guard
        try prompter.confirm(
          "\"\(name)\" was renewed already. Did you open the backup with the new one? Then the earlier "
            + "one ends now.")
      else { throw UserMessage(.denied, "not confirmed; both ways in remain") }
    } else if heir.provedAt == nil, !new.yes {
      try requireTried(heir, name, world)
    }
    guard let id = old.keyID else {
      throw UserMessage(.internalError, "a way in without an ID was chosen")
    }
    do throws(BackupFolderError) {
      try opened.removeKeySlots([id])
    } catch {
      throw UserMessage(error)
    }
    unlock.output(world).warn(viewProblem: opened.viewProblem)
    let left = try GuardRetirement.leftOver(opened, unlock.guards, draft: nil, world)
    return try retire(left, replaced: id, caller, world)
  }

  /// Asks before the earlier way in ends though the new one never opened the backup here.
  private func requireTried(
    _ heir: KeySlot, _ name: String, _ world: World
  ) throws(UserMessage) {
    let prompter = unlock.common.prompter(world)
    guard prompter.canAsk else {
      throw UserMessage(
        .usage, "the new \"\(name)\" has not opened the backup on this computer",
        hint: "try it first, or add --yes" + (heir.guardedProof.map { "\n" + $0 } ?? ""))
    }
    guard
      try prompter.confirm(
        "The new \"\(name)\" has not opened the backup on this computer. End the earlier one all "
          + "the same?")
    else { throw UserMessage(.denied, "not confirmed; both ways in remain") }
  }

  private func retire(
    _ left: [OwnedAccounts], replaced: KeyID?, _ caller: GuardCaller, _ world: World
  ) throws(UserMessage) -> ExitReason {
    let retirement = GuardRetirement(
      caller: caller, output: unlock.output(world), world: world)
    let report = try retirement.run(left)
    let isNothing = replaced == nil && report.done.isEmpty && report.failed.isEmpty
    try unlock.output(world).result(
      isNothing
        ? "There is no earlier way in that waits to be ended."
        : "The earlier way in has ended. Retired \(counted(report.done.count, "account")) at guards.",
      json: report.json.merging(["removed": .optional(replaced?.hex)]),
      ofChange: "the earlier way in has ended all the same")
    return report.failed.isEmpty ? .success : .partial
  }
}
