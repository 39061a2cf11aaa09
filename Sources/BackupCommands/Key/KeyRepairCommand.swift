package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import FileCommands
internal import SecurityKeys
internal import Unlocking

/// `keybackup key repair`: the files of the enrolled key slots are as the log says.
package struct KeyRepairCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "repair", abstract: "Repair lost or damaged files of the ways in.",
    discussion: """
      Every command that changes the backup does the same; this one does nothing else.
      It also completes a rotation, and deletes files of removed keys that came back and \
      conflict copies that hold nothing of their own. It writes damaged files again where a \
      conflict copy is whole.
      """)

  @OptionGroup var unlock: UnlockOptions
  @OptionGroup var envelope: EnvelopeOptions

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let backup = try await unlock.backup(world, for: .writing, using: UnlockOptions.ownKey)
    let before = (try? backup.scanAll().keySlots) ?? []
    var opened = try await backup.unlock(unlock, world, UnlockTerms(needsKeySlot: true))
    let slots: [KeySlot]
    let waiting = opened.waitingSilentWallets
    do throws(BackupFolderError) {
      try opened.repairKeySlots(replacingForeignEnvelope: envelope.replaceCsppEnvelope)
      if let problem = opened.viewProblem { throw problem }
      slots = try opened.keySlots()
    } catch {
      throw UserMessage(error)
    }
    let repairs = opened.keySlotRepairs
    // Others may have come meanwhile.
    let taken = max(0, waiting - opened.waitingSilentWallets)
    let unknown = slots.filter { $0.isEnrolled == false && !$0.isRemoved }
    // A way in that came through an earlier backup got its file when it opened this one.
    let id = opened.id
    let opener = opened.openedBy
    let isAdmitted = opener.map { key in
      slots.contains { $0.keyID == key }
        && !before.contains { $0.keyID == key && $0.namespaceID == id }
    }
    try unlock.output(world).result(
      Self.words(
        written: repairs.written, deleted: repairs.deleted + opened.removedWalletFiles,
        wallets: opened.writtenWalletFiles, taken: taken, copied: opened.copiedContents,
        isAdmitted: isAdmitted ?? false),
      json: [
        "copied_contents": .number(opened.copiedContents),
        "silent_wallets": .number(taken),
        "removed": .array(opened.finishedRotations.sorted().map { .string($0.hex) }),
        "written": .array(repairs.written.map(JSONOutput.string)),
        "deleted": .array(repairs.deleted.map(JSONOutput.string)),
        "written_wallet_files": .number(opened.writtenWalletFiles),
        "deleted_wallet_files": .array(opened.removedWalletFiles.map(JSONOutput.string)),
        "not_enrolled": .array(unknown.flatMap(\.files).map(JSONOutput.string)),
      ],
      ofChange: "the ways in were repaired all the same")
    unlock.output(world).note(rotationsOf: opened)
    // No copy has what these held.
    let left = (opened.logFindings + opened.sealedFindings).filter { $0.state != .foreign }
    unlock.output(world).warn(
      sealed: left + FileSummary(listing: opened).incomplete, all: unlock.common.verbose)
    if !unlock.common.json {
      for slot in unknown {
        unlock.output(world).note(
          "Not enrolled, left as it is: \"\(KeySlotSelector.shown(slot))\", "
            + PrintableText.name(slot.files.joined(separator: ", "), limit: 200))
      }
    }
    return .success
  }

  private static func words(
    written: [String], deleted: [String], wallets: Int, taken: Int, copied: Int, isAdmitted: Bool
  ) -> String {
    let parts = [("Written again", written), ("Deleted", deleted)]
    var lines = parts.filter { !$0.1.isEmpty }.map { (what, files) in
      "\(what): \(files.map { PrintableText.name($0, limit: 200) }.joined(separator: ", "))"
    }
    // Those of computers without a key are told below.
    if wallets > taken {
      lines.append("Written again: \(counted(wallets - taken, "wallet file"))")
    }
    if taken > 0 {
      lines.append(
        "Written for other programs: \(counted(taken, "wallet")) of computers without a key")
    }
    if copied > 0 {
      lines.append(
        "Copied from an earlier backup or a conflict copy: the contents of \(counted(copied, "version")) of files"
      )
    }
    if lines.isEmpty { return isAdmitted ? "Nothing else to repair." : "Nothing to repair." }
    return lines.joined(separator: "\n")
  }
}

/// The choice about a CSPP envelope that fits no enrolled key.
struct EnvelopeOptions: ParsableArguments {
  @Flag(help: "Replace the file of another CSPP program that fits no enrolled key.")
  var replaceCsppEnvelope = false
}
