package import ArgumentParser
internal import BackupCommands
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import Unlocking

/// `keybackup guard status`: the tries that are left, and logins that wait.
package struct GuardStatusCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the tries left at each guard, and logins that wait.",
    discussion: """
      Needs no security key and no PIN, and costs no try. It asks the guards over the network.
      Guards of a way in that this computer has not seen in the backup's log are not asked.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var folder: FolderOptions
  @OptionGroup var sync: SyncOptions
  @OptionGroup var guards: GuardAddressOptions

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let backup = try await Backup.find(folder, sync, common, world)
    try backup.requireOne(world.run, common.output(world))
    let slots = try backup.keySlots(backup.scan())
    guard slots.contains(where: { $0.isGuarded && !$0.isRemoved }) else {
      throw UserMessage(
        .noInput, "this backup has no way in with guards", hint: "to make one: keybackup guard add")
    }
    let look = try GuardLook(slots, guards, common, world)
    let output = common.output(world)
    if output.json {
      try output.result(json: [
        "ways": .array(look.surveys.map(\.json)),
        "not_asked": .array(look.unknown.map { .optional($0.keyID?.hex) }),
      ])
      return look.code
    }
    for survey in look.surveys {
      try output.result(title: survey.title)
      try output.result(survey.table(at: UInt64(max(0, world.now()))))
      for line in survey.lines { try output.result(line) }
    }
    if look.surveys.contains(where: { $0.seats.contains { $0.fault?.isUntrusted == true } }) {
      output.note("hint: for a guard with a certificate of its own: --guard-ca FILE")
    }
    for slot in look.unknown {
      output.warn(
        "keybackup: the guards of \"\(KeySlotSelector.shown(slot))\" were not asked: "
          + KeySlot.whyUnconfirmed(backup.namespace.hasOpenedWholeLog))
      if !backup.namespace.hasOpenedWholeLog, let option = slot.guardedOption {
        output.warn("hint: without a security key: keybackup verify --deep \(option)")
      }
    }
    return look.code
  }
}
