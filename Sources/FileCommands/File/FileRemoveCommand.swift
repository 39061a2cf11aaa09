package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import CommandSupport
internal import Unlocking

/// `keybackup file remove`: a file is no longer restored.
package struct FileRemoveCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a file from the backup.",
    discussion: """
      Its versions are kept, encrypted. keybackup file history shows them, and keybackup file keep \
      brings one back.
      """)

  @OptionGroup var unlock: UnlockOptions

  @OptionGroup var named: FileArgument

  @OptionGroup var gaps: GapOption

  @Flag(name: [.short, .long], help: "Do not ask. Without a terminal nobody is asked.")
  var yes = false

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    var opened = try await unlock.open(world, for: .writing)
    let all = try opened.namedFiles()
    let file = try FileSelector.only(
      all, named.name, retired: opened.retiredKeys, withRemoved: false)
    try Interruption.check()
    let row = FileRow(file)
    let prompter = unlock.common.prompter(world)
    let isChange = !file.isRemoved
    // A script means what it says, and the versions are kept.
    if isChange, !yes, prompter.canAsk {
      guard try prompter.confirm("Remove \"\(row.name)\" from the backup?") else {
        throw UserMessage(.denied, "not confirmed; nothing was removed")
      }
    }
    // One that is removed may come back with the earlier backups' deletion.
    if isChange || opened.filesOnlyEarlier.contains(file.id) {
      try opened.deciding(gaps.explained) { (opened) throws(UserMessage) in
        try requireSame(file, in: opened)
        do throws(BackupFolderError) {
          try opened.removeFile(file.id, despiteGaps: gaps.despiteGaps)
        } catch {
          throw gaps.explained(error)
        }
      }
    }
    opened.rememberFiles(world)
    try unlock.output(world).result(
      isChange ? "Removed \"\(row.name)\"." : "\"\(row.name)\" was removed before.",
      json: [
        "file_id": .string(file.id.hex), "name": .string(row.text),
        "computer": .optional(row.label), "changed": .bool(isChange),
      ], ofChange: "the file was removed all the same")
    if isChange, !unlock.common.json {
      tell(file, among: all, unlock.output(world))
    }
    return .success
  }

  /// Throws where the file has a version that the person was not asked about.
  private func requireSame(
    _ shown: BackedUpFile, in opened: borrowing OpenNamespace
  ) throws(UserMessage) {
    let known = Set(shown.versions.map(\.operation.digest))
    let now = try opened.allFiles().first { $0.id == shown.id }?.versions ?? []
    if now.allSatisfy({ known.contains($0.operation.digest) }) { return }
    throw UserMessage(
      .incomplete, word: "busy", "another program changed the file meanwhile; nothing was removed",
      hint: "to see what is there now: keybackup file list")
  }

  /// Says how to bring the file back.
  private func tell(_ file: BackedUpFile, among all: [BackedUpFile], _ output: Output) {
    // As the person named it, if nothing else ever had that name.
    let name = FileSelector.word(for: file, named: named.name, among: all)
    output.note("Its versions are kept, encrypted. To see them: keybackup file history \(name)")
    let live = file.live.map(\.operation.digest.hex)
    let versions = ShortID.shown(file.versions.map(\.operation.digest.hex))
    let version = zip(file.versions, versions).first { live == [$0.0.operation.digest.hex] }?.1
    output.note("To bring one back: keybackup file keep \(name) \(version ?? "VERSION")")
  }
}
