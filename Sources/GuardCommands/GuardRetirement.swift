internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import Unlocking

/// Retires the accounts of ways in that the backup does not have any more.
struct GuardRetirement {
  let caller: GuardCaller
  let output: Output
  let world: World

  /// The guards that did it, and the others, over all ways in.
  struct Report {
    var ways = 0
    var done: [AskedGuard] = []
    var failed: [(server: AskedGuard, fault: GuardFault)] = []
    /// Ways in that enough guards may still open.
    var open = 0

    /// The report as JSON.
    var json: JSONOutput {
      [
        "ways": .number(ways), "still_open": .number(open),
        "retired": .array(done.map { .string($0.guardID.hex) }),
        "failed": .array(
          failed.map {
            ["guard_id": .string($0.server.guardID.hex), "reason": .string($0.fault.text)]
          }),
      ]
    }
  }

  /// Retires accounts at their guards.
  ///
  /// - Parameter accounts: of key slots that were removed.
  /// - Returns: the guards that did it, and the others.
  /// - Throws: `interrupted`, `io`.
  func run(_ accounts: [OwnedAccounts]) throws(UserMessage) -> Report {
    var report = Report(ways: accounts.count)
    var retired = RetiredAccounts.of(world)
    for owned in accounts {
      let result = try owned.retire(caller, besides: retired)
      retired.add(result.accounts, world)
      report.done += result.done
      report.failed += result.failed
      if owned.mayOpen(after: result) { report.open += 1 }
    }
    for (place, (server, fault)) in report.failed.enumerated() {
      // One line for each guard, also of several accounts.
      func isSame(_ other: (server: AskedGuard, fault: GuardFault)) -> Bool {
        other.server == server && other.fault == fault
      }
      if report.failed[..<place].contains(where: isSame) { continue }
      let count = report.failed.count(where: isSame)
      output.warn(
        "keybackup: \(count == 1 ? "the account" : "\(count) accounts") at \(server.title) "
          + "\(count == 1 ? "was" : "were") not retired: \(fault.text)")
    }
    if !report.failed.isEmpty {
      output.warn("hint: to try again later: keybackup guard retire")
    }
    return report
  }

  /// The accounts of an open backup whose key slot was removed, or never was one.
  ///
  /// An account that is retired never comes back. So new ones of a key slot that is not known here
  /// are left out: another computer may be making it, or its file is still to be synchronised. So
  /// are those of an enrolled key slot whose file is missing: a repair brings it back.
  ///
  /// - Parameters:
  ///   - opened: the backup.
  ///   - guards: the options.
  ///   - draft: the key slot of an unfinished way in, which keeps its accounts.
  ///   - world: has the time.
  /// - Returns: the accounts of each such key slot.
  /// - Throws: the errors of the folder.
  static func leftOver(
    _ opened: borrowing OpenNamespace, _ guards: GuardOptions, draft: KeyID?, _ world: World
  ) throws(UserMessage) -> [OwnedAccounts] {
    let slots: [KeySlot]
    do throws(BackupFolderError) {
      slots = try opened.allKeySlots()
    } catch {
      throw UserMessage(error)
    }
    // The operation that enrols a file may still have to be synchronised.
    let live = Set(slots.filter { !$0.isRemoved && $0.isEnrolled != false }.compactMap(\.keyID))
    let dayAgo = UInt64(max(0, world.now() - 86_400))
    var left: [OwnedAccounts] = []
    for owned in try OwnedAccounts.all(opened, moved: guards.servers) {
      let key = owned.keyID
      let isOver = opened.isKeySlotRemoved(key) || owned.newest < dayAgo
      let isLive = live.contains(key) || opened.isKeySlotEnrolled(key)
      if !isLive, key != draft, isOver { left.append(owned) }
    }
    return left
  }
}
