package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import Unlocking

/// `keybackup recovery-kit revoke`: a code opens the backup no more.
package struct RecoveryKitRevokeCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke a recovery kit: its code opens the backup no longer.",
    discussion: """
      Another way in opens the backup first. Anyone with the code can still open older \
      copies of the folder, and an earlier backup in it that names the kit.
      Anyone with an offline kit and the wallet files can still open those. Only keybackup \
      rotate --master-key ends that.
      """)

  @OptionGroup var removal: KeyRemoveCommand

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    var removal = removal
    let backup = try await removal.unlock.backup(world, for: .writing)
    let slots = try backup.allKeySlots()
    let kits = slots.filter { Kit($0) != nil }
    guard !kits.isEmpty else {
      throw UserMessage(
        .noInput, "this backup has no recovery kit", hint: "to see its ways in: keybackup key list")
    }
    // A security key may have the same label.
    if let id = try KeySlotSelector.group(removal.key, kits).first?.keyID {
      // It is removed by its ID, which its file chose.
      if let other = slots.first(where: { $0.keyID == id && Kit($0) == nil }) {
        throw UserMessage(
          .ambiguous, "the kit's file and \"\(KeySlotSelector.shown(other))\" have the same ID",
          hint: "somebody put one of the two files there; to see which one is enrolled: keybackup "
            + "verify --deep")
      }
      removal.key = id.hex
    }
    return try await removal.run(in: world)
  }
}
