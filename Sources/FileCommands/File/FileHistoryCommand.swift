package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import Unlocking

/// `keybackup file history`: every version of one file.
package struct FileHistoryCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "history", abstract: "List the versions of a file, newest first.",
    discussion: """
      Every version in the list can be restored with keybackup file restore NAME --version V, also \
      replaced and removed ones.
      """)

  @OptionGroup var unlock: UnlockOptions

  @OptionGroup var named: FileArgument

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let opened = try await unlock.open(world)
    let files = try opened.namedFiles()
    let file = try FileSelector.only(files, named.name, retired: opened.retiredKeys)
    opened.rememberFiles(world)
    let output = unlock.output(world)
    if unlock.common.json {
      var json = FileRow(file).json
      json["versions"] = .array(file.versions.map { $0.json(in: file) })
      json["gaps"] = opened.gaps
      json["history"] = opened.health.history
      try output.result(json: json)
    } else {
      try output.result(StoredVersion.table(file))
      let word = FileSelector.word(for: file, named: named.name, among: files)
      if file.dropped > 0 {
        output.note("\(counted(file.dropped, "older version")) given up by keybackup file prune.")
      }
      if file.isConflicted {
        output.note("Several versions count. To choose one: keybackup file keep \(word) VERSION")
      }
      if file.versions.contains(where: { $0.standing == .late }) {
        output.note(
          "Late is what a computer wrote to the backup as it was before its master key was rotated. It "
            + "counts, and the next change of the file takes it over.")
      }
      if file.versions.contains(where: { $0.standing == .heldBack }) {
        output.note(
          "A retired computer wrote the versions that are held back. To accept one: keybackup file "
            + "keep \(word) VERSION")
        output.note(
          !file.live.isEmpty
            ? "To refuse them, keep the current one in the same way."
            : file.late.isEmpty
              ? "To refuse them: keybackup file remove \(word)"
              : "To refuse them, keep a late one in the same way.")
      }
      output.warn(opened.health, opened.logFindings)
      output.warn(gapsOf: opened.writersWithGaps)
    }
    return .mostUrgent(of: opened.fileCodes(files.map(FileRow.init)))
  }
}
