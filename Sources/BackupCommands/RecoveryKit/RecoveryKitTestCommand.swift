package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import Unlocking

/// `keybackup recovery-kit test`: proves that a kit still opens the backup.
package struct RecoveryKitTestCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Prove that a recovery kit opens the backup. Changes nothing.",
    discussion: """
      You type the code as it stands on the page.
      With --recovery-kit FILE the offline kit is tested. Nothing but the wallet files is \
      used then.
      """)

  @OptionGroup var unlock: UnlockOptions

  package init() {}

  package mutating func validate() throws {
    try unlock.guards.given.refuse(besides: "recovery-kit test")
  }

  /// The command that tests one kit.
  static func line(_ key: KeyID, _ derivation: KeyHeader.CodeDerivation) -> String {
    KitPage.testLine(key, derivation)
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    var unlock = unlock
    if !unlock.recovery.isUsed { unlock.recovery.recoveryCode = true }
    let backup = try await unlock.backup(world)
    var opened = try await backup.unlock(unlock, world)
    let report = opened.verify()
    let label = try label(of: opened.openedBy, backup, world)
    let isEarlier = opened.health.successor != nil
    let name = label.isEmpty ? "" : " \"\(PrintableText.name(label, limit: 40))\""
    try unlock.output(world).result(
      "The recovery kit\(name) opens the \(isEarlier ? "earlier " : "")backup: \(counted(report.restored, "wallet")).",
      json: [
        "namespace_id": .string(opened.id.hex), "key_id": .optional(opened.openedBy?.hex),
        "label": .string(label), "wallets": .number(report.restored),
        "failed": .array(report.failures.map(\.json)),
      ], ofChange: "nothing was changed")
    backup.tell(opened, openedBy: unlock.recovery, unlock.output(world))
    if opened.openedBy == nil, !isEarlier, unlock.recovery.recoveryKit == nil {
      unlock.output(world).note(
        "It was made before the master key was rotated. To give it a file in the new backup: keybackup "
          + "key repair --recovery-code")
    }
    return isEarlier ? .partial : .success
  }

  private func label(
    of key: KeyID?, _ backup: Backup, _ world: World
  ) throws(UserMessage) -> String {
    if let kit = try unlock.recovery.offlineKit(world) { return kit.header.label }
    return try backup.scanAll().keySlots.first { $0.keyID == key }?.label ?? ""
  }
}
