package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import Unlocking

/// `keybackup file show`: one file, without its contents.
package struct FileShowCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show what is known of a file, without its contents.")

  @OptionGroup var unlock: UnlockOptions

  @OptionGroup var named: FileArgument

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let opened = try await unlock.open(world)
    let files = try opened.namedFiles()
    let file = try FileSelector.only(
      files, named.name, retired: opened.retiredKeys, withRemoved: false)
    let row = FileRow(file)
    let output = unlock.output(world)
    let code = ExitReason.mostUrgent(of: opened.fileCodes(files.map(FileRow.init)))
    guard !unlock.common.json, let newest = file.newest else {
      var json = row.json
      if let newest = file.newest { json["newest"] = newest.json(in: file) }
      try output.result(json: ["file": json, "history": opened.health.history])
      return code
    }
    let mode = String(newest.mode, radix: 8)
    let lines = [
      "File       \(row.name)", "Computer   \(PrintableText.name(row.label ?? "-", limit: 80))",
      "ID         \(file.id.hex)", "State      \(row.state.rawValue)",
      "Version    \(newest.operation.digest.hex)",
      "Written    \(PrintableTime.minute(newest.at))"
        + (newest.by == nil ? "" : " by a computer that writes without a touch"),
      "Changed    \(PrintableTime.minute(newest.modified))",
      "Size       \(PrintableSize.text(newest.size))",
      "Mode       \(String(repeating: "0", count: max(0, 4 - mode.count)) + mode)",
      "SHA-256    \(newest.content.hex)",
      "Versions   \(file.versions.count)"
        + (row.heldBack > 0 ? ", \(row.heldBack) held back" : "")
        + (file.dropped > 0 ? ", and \(file.dropped) given up" : ""),
    ]
    for line in lines { try output.result(line, hanging: 11) }
    output.warn(opened.health, opened.logFindings)
    output.warn(gapsOf: opened.writersWithGaps)
    return code
  }
}
