package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import CommandSupport
internal import SyncFolders
internal import Unlocking

/// `keybackup file restore`: some files, or one version of one.
package struct FileRestoreCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Write files of the backup into a folder.",
    discussion: """
      Each file is written to FOLDER/COMPUTER/NAME with its time. Only you may read it. No existing \
      file is replaced.
      Versions in conflict, and those of a retired computer, are written beside that name.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Argument(
    help: ArgumentHelp("The files' names, COMPUTER/NAME or IDs.", valueName: "name"))
  var names: [String]

  @Option(help: ArgumentHelp("The version, from file history.", valueName: "version"))
  var version: String?

  @Option(help: ArgumentHelp("The folder to write into.", valueName: "folder"))
  var out: String

  @OptionGroup var place: SyncedFolderOption

  package init() {}

  package mutating func validate() throws {
    if out.isEmpty || out == "-" { throw ValidationError("--out names a folder") }
    if version != nil, names.count > 1 {
      throw ValidationError("--version goes with one file")
    }
    for name in names {
      if let problem = FileSelector.problem(name) { throw ValidationError(problem) }
    }
    if let problem = version.flatMap(FileSelector.versionProblem) { throw ValidationError(problem) }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let backup = try await unlock.backup(world)
    // The folder is made before the touch, so that nothing is decrypted that could not be written.
    try place.requirePrivate(out, besides: backup.folder.path, world)
    let tree = try RestoredTree(path: out, world.run)
    let opened = try await backup.unlock(unlock, world)
    let retired = opened.retiredKeys
    let all = try opened.namedFiles()
    let planned = try plan(all, retired)
    opened.rememberFiles(world)
    try Interruption.check()
    var restore = FileRestore(into: tree, planned, among: all, unlock.common, world)
    var untried = planned[...]
    // Why the rest could not be written.
    var stop: UserMessage?
    do throws(UserMessage) {
      while let one = untried.first {
        try restore.restore(one, from: opened)
        untried.removeFirst()
      }
    } catch {
      if error.code == .interrupted { throw error }
      stop = error
    }
    restore.finish()
    let code =
      stop?.code
      ?? .mostUrgent(of: [restore.exitCode] + opened.fileCodes(all.map(FileRow.init)))
    let output = unlock.output(world)
    if unlock.common.json {
      try output.result(json: [
        "restored": .number(restore.written.count), "folder": .string(out),
        "files": .array(restore.written.map(\.json)),
        "failed": .array(
          (restore.failures + restore.taken).map(\.json)
            + untried.compactMap { one in
              stop.map { FileRestore.Failure(planned: one, message: $0).json }
            }), "gaps": opened.gaps, "history": opened.health.history,
      ])
      return code
    }
    for one in restore.written where one.aside == nil {
      try output.result("Restored \(ShellWord.quoted("\(out)/\(one.path)"))")
    }
    output.warn(
      written: restore.written, restore.failures, untried: untried.count + restore.taken.count,
      among: all,
      retired: retired)
    output.warn(opened.health, opened.logFindings)
    output.warn(gapsOf: opened.writersWithGaps)
    if let stop {
      throw stop.adding(
        hint: "\(counted(restore.written.count, "file")) of \(planned.count) "
          + (restore.written.count == 1 ? "is" : "are") + " in \(ShellWord.quoted(out))")
    }
    if let obstacle = restore.obstacle { throw obstacle.ending(with: code) }
    return code
  }

  /// The versions that the names stand for.
  private func plan(
    _ files: [BackedUpFile], _ retired: Set<SigningKey>
  ) throws(UserMessage) -> [PlannedFile] {
    var chosen: [BackedUpFile] = []
    for name in names {
      let file = try FileSelector.only(
        files, name, retired: retired, withRemoved: version != nil)
      if !chosen.contains(where: { $0.id == file.id }) { chosen.append(file) }
      if let version {
        return [PlannedFile(try FileSelector.only(file, version: version), of: file)]
      }
      guard file.isRemoved, FileRow(file).state == .removed else { continue }
      let quoted = FileSelector.word(for: file, named: name, among: files)
      throw UserMessage(
        .noInput, "\"\(PrintableText.name(name))\" was removed from the backup",
        hint: "its versions are kept. To see them: keybackup file history \(quoted)\n"
          + "then restore one of them: keybackup file restore \(quoted) --version V --out FOLDER")
    }
    return FilePlan(chosen, withRemoved: false).planned
  }
}
