package import ArgumentParser
package import BackupFolder
internal import CSPP
package import CommandKit
internal import Unlocking

/// `keybackup key label`: gives a key slot another name.
package struct KeyLabelCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "label", abstract: "Give a way into the backup another name.",
    discussion: """
      The name that it was enrolled with stays readable in the folder's keys/.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Argument(
    help: ArgumentHelp("The way in: its label, its ID or the start of it.", valueName: "key"))
  var key: String

  @Argument(help: ArgumentHelp("The new name.", valueName: "name"))
  var name: String

  package init() {}

  package mutating func validate() throws {
    for problem in [KeySlotSelector.problem(key), KeyLabel.problem(name)] {
      if let problem { throw ValidationError(problem) }
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let backup = try await unlock.backup(world, for: .writing)
    let named = try KeySlotSelector.group(key, backup.allKeySlots())
    var opened = try await backup.unlock(unlock, world)
    let meant = try backup.only(named, of: opened)
    try KeySlotSelector.requireSame(meant, in: opened)
    do throws(BackupFolderError) {
      try opened.setLabel(name, ofAll: Set(meant.compactMap(\.keyID)))
    } catch {
      throw UserMessage(error)
    }
    let sharing = opened.keySlots(sharing: name, besides: meant.compactMap(\.keyID))
    unlock.output(world).warn(viewProblem: opened.viewProblem)
    let shown = PrintableText.name(name)
    try unlock.output(world).result(
      "\"\(KeySlotSelector.shown(meant[0]))\" is called \"\(shown)\" now.",
      json: [
        "key_ids": .array(meant.compactMap { $0.keyID?.hex }.map(JSONOutput.string)),
        "label": .string(name), "same_label": .array(sharing.map { .string($0.hex) }),
      ], ofChange: "the name was changed all the same")
    if let id = meant.first?.keyID {
      unlock.output(world).warn(sharing: sharing, of: name, new: id)
    }
    unlock.output(world).note(rotationsOf: opened)
    return .success
  }
}

/// The name of a key slot.
package enum KeyLabel {
  /// Why a name will not do; nil if it will.
  package static func problem(_ label: String) -> String? {
    label.isEmpty || label.utf8.count > 200 ? "a label has 1 to 200 bytes" : nil
  }
}

extension Output {
  /// Tells that a rotation has come to its end.
  package func note(rotationsOf opened: borrowing OpenNamespace) {
    if json || opened.finishedRotations.isEmpty { return }
    note("The key's new secret works. The old one was removed.")
  }
}
