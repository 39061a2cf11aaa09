package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import GuardProtocol
internal import Unlocking

/// `keybackup guard veto`: stops a login that waits for the guards.
package struct GuardVetoCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "veto", abstract: "Stop a login that waits for the guards.",
    discussion: """
      Open the backup by any other way in. keybackup guard status shows the logins that wait, \
      with their IDs.
      Enough guards must confirm that the others cannot open the backup. If one of them lies, \
      that is not enough: run it again until all have confirmed.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Argument(help: ArgumentHelp("The ID of the login, or the start of it.", valueName: "release"))
  var release: String

  package init() {}

  package mutating func validate() throws {
    let digits = release.lowercased()
    guard (ShortID.leastTyped...32).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else {
      throw ValidationError(
        "the ID of a login has 32 hex digits; give all, or its first \(ShortID.leastTyped) or more: "
          + "keybackup guard status")
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let backup = try await unlock.backup(world, for: .reading, using: GuardOptions.own)
    let caller = try GuardCaller(unlock.guards.addresses, unlock.common, world)
    let opened = try await backup.unlock(unlock, world)
    let slots: [KeySlot]
    do throws(BackupFolderError) {
      slots = try opened.allKeySlots().filter { !$0.isRemoved && $0.isEnrolled == true }
    } catch {
      throw UserMessage(error)
    }
    let surveys = try logins(slots, caller, world)
    let (id, found) = try named(in: surveys)
    // One session key belongs to one way in.
    let having = surveys.filter { survey in survey.releases.contains { $0.release == id } }
    let keys = Set((having.isEmpty ? surveys : having).map(\.way.keyID))
    let ways = try OwnedAccounts.all(opened, moved: unlock.guards.servers)
      .filter { $0.areLogins && keys.contains($0.keyID) }
    var done: [AskedGuard] = []
    var failed: [(server: AskedGuard, fault: GuardFault)] = []
    var isStopped = true
    var count = 0
    for owned in ways {
      guard let threshold = slots.first(where: { $0.keyID == owned.keyID })?.guardThreshold else {
        continue
      }
      count += 1
      let result = try owned.veto(id, caller)
      done += result.done
      failed += result.failed
      if result.proved.count < threshold.blocking { isStopped = false }
    }
    guard count > 0 else {
      throw UserMessage(
        .noInput, "this backup has no way in with a login",
        hint: "to see its ways in: keybackup key list")
    }
    let output = unlock.output(world)
    for (server, fault) in failed {
      output.warn("keybackup: the guard \(server.title) did not confirm: \(fault.text)")
    }
    guard isStopped else {
      throw UserMessage(
        .noAuthenticator, word: "guards-unreachable",
        "too few guards confirmed, so the login may still open the backup",
        hint: "run the same command again until they have")
    }
    try output.result(
      "The login \(id.hex) is stopped at \(counted(done.count, "guard")).",
      json: [
        "release_id": .string(id.hex),
        "confirmed": .array(done.map { .string($0.guardID.hex) }),
        "failed": .array(failed.map { .string($0.server.guardID.hex) }),
      ], ofChange: "the login was stopped all the same")
    if !output.json {
      if let found, found.notBefore <= UInt64(max(0, world.now())) {
        output.note(
          "It may be too late: this login could open the backup since "
            + "\(PrintableTime.minute(found.notBefore)) UTC.")
      }
      output.note(
        "If it was not you: somebody can log in with your account at the provider. Change its password, "
          + "and make a new way in: keybackup guard renew")
    }
    return failed.isEmpty ? .success : .partial
  }

  /// Asks the guards of all ways in with a login which ones they know.
  private func logins(
    _ slots: [KeySlot], _ caller: GuardCaller, _ world: World
  ) throws(UserMessage) -> [GuardSurvey] {
    var surveys: [GuardSurvey] = []
    for slot in slots {
      guard case .guardedLogin = slot.kind,
        let way = GuardWay(slot, moved: unlock.guards.servers)
      else { continue }
      surveys.append(try GuardSurvey(way, nil, caller, world))
    }
    guard !surveys.isEmpty else {
      throw UserMessage(
        .noInput, "this backup has no way in with a login",
        hint: "to see its ways in: keybackup key list")
    }
    return surveys
  }

  /// The login that is meant, as the guards list it.
  ///
  /// A guard that does not answer may know what the others do not. Then a whole ID is taken.
  private func named(
    in surveys: [GuardSurvey]
  ) throws(UserMessage) -> (id: ReleaseID, found: ReleaseAnswer?) {
    let typed = release.lowercased()
    let fitting = surveys.flatMap(\.releases).filter { ShortID.matches(typed, $0.release.hex) }
    guard Set(fitting.map(\.release)).count <= 1 else {
      throw UserMessage(
        .ambiguous, "several logins begin so; nothing was stopped",
        hint: fitting.map { "keybackup guard veto \($0.release.hex)" }.joined(separator: "\n"))
    }
    if let found = fitting.first { return (found.release, found) }
    let isWhole = surveys.allSatisfy { survey in survey.seats.allSatisfy { $0.confirmed != nil } }
    if !isWhole, let id = ReleaseID(hex: typed) { return (id, nil) }
    throw UserMessage(
      .noInput,
      "no guard\(isWhole ? "" : " that answered") knows a login with this ID; nothing was stopped",
      hint: "it may have ended, or was stopped before\nto see the logins: keybackup guard status")
  }
}
