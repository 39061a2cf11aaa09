internal import ArgumentParser
internal import BackupFolder
internal import CSPP
internal import GuardProtocol

/// `keybackup guard veto`: stops a login that waits for the guards.
struct GuardVetoCommand: ParsableCommand, KeyBackupCommand {
  static let configuration = CommandConfiguration(
    commandName: "veto", abstract: "Stop a login that waits for the guards.",
    discussion: """
      Open the backup by any other way in. keybackup guard status shows the logins that wait, \
      with their IDs.
      Enough guards must confirm that the others cannot open the backup. If one of them lies, \
      that is not enough: run it again until all have confirmed.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Argument(help: ArgumentHelp("The ID of the login, 32 digits.", valueName: "release"))
  var release: String

  mutating func validate() throws {
    if ReleaseID(hex: release.lowercased()) == nil {
      throw ValidationError("the ID of a login has 32 hex digits: keybackup guard status")
    }
  }

  func run(in world: World) async throws(UserMessage) -> ExitCode {
    guard let id = ReleaseID(hex: release.lowercased()) else {
      throw UserMessage(.usage, "the ID of a login has 32 hex digits")
    }
    let backup = try await unlock.backup(world, for: .reading)
    let caller = try GuardCaller(unlock.guards.addresses, unlock.common, world)
    let opened = try await backup.unlock(unlock, world)
    let slots: [KeySlot]
    do throws(BackupFolderError) {
      slots = try opened.allKeySlots().filter { !$0.isRemoved && $0.isEnrolled == true }
    } catch {
      throw UserMessage(error)
    }
    let ways = try OwnedAccounts.all(opened, moved: unlock.guards.servers).filter(\.areLogins)
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
      "The login \(id.hex.prefix(8)) is stopped at \(counted(done.count, "guard")).",
      json: [
        "release_id": .string(id.hex),
        "confirmed": .array(done.map { .string($0.guardID.hex) }),
        "failed": .array(failed.map { .string($0.server.guardID.hex) }),
      ], ofChange: "the login was stopped all the same")
    if !output.json {
      output.note(
        "If it was not you: somebody can log in with your account at the provider. Change its password, "
          + "and make a new way in: keybackup guard renew")
    }
    return failed.isEmpty ? .success : .partial
  }
}
