package import BackupFolder
internal import CSPP
package import CommandKit

/// Asks the guards of all ways in for their state, which costs no try and needs no key.
package struct GuardLook {
  /// The states, in the order of the ways in.
  package private(set) var surveys: [GuardSurvey] = []
  /// Ways in that this computer does not know to be enrolled: their guards are not asked.
  package private(set) var unknown: [KeySlot] = []

  /// Asks.
  ///
  /// - Parameters:
  ///   - slots: the key slots of the backup.
  ///   - options: the options about guards.
  ///   - common: the options of output.
  ///   - world: the environment of the process.
  /// - Throws: `usage`, `guard-program-missing`, `interrupted`, `io`.
  package init(
    _ slots: [KeySlot], _ options: GuardAddressOptions, _ common: CommonOptions, _ world: World
  ) throws(UserMessage) {
    let guarded = slots.filter { $0.isGuarded && !$0.isRemoved }
    if !guarded.isEmpty { try options.requireGuards(of: guarded) }
    let named = options.servers
    var ways: [(way: GuardWay, slot: KeySlot)] = []
    for slot in guarded {
      guard let way = GuardWay(slot, moved: named) else { continue }
      let isNamed = way.servers.allSatisfy { named[$0.guardID] != nil }
      if slot.isEnrolled == true || isNamed {
        ways.append((way, slot))
      } else {
        unknown.append(slot)
      }
    }
    if ways.isEmpty { return }
    let caller = try GuardCaller(options, common, world)
    for (way, slot) in ways {
      surveys.append(try GuardSurvey(way, slot.guardSchedule, caller, world))
    }
  }

  /// The exit code: what a person should look at, before what does not work at the moment.
  package var code: ExitReason {
    if surveys.contains(where: { !$0.warnings.isEmpty && $0.isOpen }) { return .atRisk }
    if surveys.contains(where: { !$0.isOpen }) { return .noAuthenticator }
    return .success
  }
}
