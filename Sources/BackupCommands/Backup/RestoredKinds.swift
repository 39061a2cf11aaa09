internal import ArgumentParser
internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import CommandSupport
internal import FileCommands
internal import Unlocking

/// A kind of things that a restore brings back.
enum RestoredKind: String, ExpressibleByArgument, CaseIterable, Sendable {
  case wallets
  case files
}

/// The options of `restore` for files.
struct RestoredKindsOption: ParsableArguments {
  @Option(help: ArgumentHelp("Restore only wallets, or only files.", valueName: "kind"))
  var only: RestoredKind?

  @Flag(help: "Restore removed files, too, under another name.")
  var removed = false

  mutating func validate() throws {
    if removed, only == .wallets { throw ValidationError("--removed goes with files") }
  }
}

/// The files of a backup in a run of `restore`.
struct FilesPart: Sendable {
  /// Files that are shown one by one.
  private static let mostShown = 50

  private var rows: [FileRow] = []
  private var written: [PlannedFile] = []
  private var failures: [FileRestore.Failure] = []
  private var sealed: [FileFinding] = []
  private var gaps: [PathComponent] = []
  private var retired: Set<SigningKey> = []
  private var code = ExitReason.success
  /// Removed files that were left out.
  private var leftOut = 0
  /// The versions whose names something else has.
  private var taken: [FileRestore.Failure] = []
  /// The versions that an error kept from being tried.
  private var untried: [FileRestore.Failure] = []
  /// Why not all were restored: something else has their names, or nothing could be written.
  private(set) var obstacle: UserMessage?

  /// No files at all.
  init() {}

  /// Restores the files of a backup.
  ///
  /// Wallets come first, so no error ends the run here.
  ///
  /// - Parameters:
  ///   - opened: the backup.
  ///   - out: the folder, which is there; nil: nothing is written.
  ///   - withRemoved: whether removed files come, too.
  ///   - isAlone: whether no wallets are restored, whose report judges the logs.
  ///   - common: where progress is shown.
  ///   - world: the terminal.
  init(
    _ opened: borrowing OpenNamespace, into out: String?, withRemoved: Bool, isAlone: Bool,
    _ common: CommonOptions, _ world: World
  ) {
    var rest: ArraySlice<PlannedFile> = []
    do throws(UserMessage) {
      let files = try opened.allFiles()
      rows = files.map(FileRow.init)
      sealed = opened.sealedFindings
      gaps = opened.writersWithGaps
      retired = opened.retiredKeys
      leftOut = withRemoved ? 0 : rows.count { $0.state == .removed }
      opened.rememberFiles(world)
      var codes = isAlone || out == nil ? opened.fileCodes(rows) : opened.sealedCodes
      defer { code = .mostUrgent(of: codes) }
      guard let out, !files.isEmpty else { return }
      let planned = FilePlan(files, withRemoved: withRemoved).planned
      rest = planned[...]
      var restore = FileRestore(
        into: try RestoredTree(path: out, world.run), planned, among: files, common, world)
      defer {
        restore.finish()
        (written, failures, taken) = (restore.written, restore.failures, restore.taken)
      }
      while let one = rest.first {
        try restore.restore(one, from: opened)
        rest.removeFirst()
      }
      codes.append(restore.exitCode)
      // Wallets were written beside them.
      if !isAlone, !restore.failures.isEmpty { codes.append(.partial) }
      obstacle = restore.obstacle
    } catch {
      obstacle = error
      untried = rest.map { FileRestore.Failure(planned: $0, message: error) }
    }
  }

  var isEmpty: Bool { rows.isEmpty }
  /// How many are in the folder of the restore.
  var writtenCount: Int { written.count }

  /// The exit code, together with that of the wallets.
  ///
  /// What only an obstacle explains ends with its code.
  func exitCode(with wallets: ExitReason) -> ExitReason {
    let most = ExitReason.mostUrgent(of: [code, wallets])
    return most == .success ? obstacle?.code ?? code : most
  }

  /// Ends with the error about what kept files back, and the most urgent code.
  ///
  /// - Parameter wallets: the exit code of the wallets.
  /// - Returns: the exit code, where there is no such error.
  /// - Throws: the error.
  func end(with wallets: ExitReason) throws(UserMessage) -> ExitReason {
    let code = exitCode(with: wallets)
    if let obstacle { throw obstacle.ending(with: code) }
    return code
  }

  /// Adds the files to the result's JSON.
  func add(to json: inout JSONOutput, out: String?) {
    json["restored_files"] = .number(out == nil ? 0 : written.count)
    json["stored_files"] = .array(out == nil ? rows.map(\.json) : written.map(\.json))
    json["gaps"] = .array(gaps.map { .string($0.text) })
    var failed = (failures + taken + untried).map(\.json) + sealed.map(\.json)
    if let obstacle, taken.isEmpty, untried.isEmpty {
      failed.append(["reason": .string(obstacle.message), "code": .string(obstacle.word)])
    }
    json["failed_files"] = .array(failed)
  }

  /// Shows the files as text.
  ///
  /// - Throws: `io`.
  func show(_ output: Output, out: String?, all: Bool) throws(UserMessage) {
    if !rows.isEmpty {
      if let out {
        let noun = counted(written.count, "file")
        try output.result("Restored \(noun) into \(ShellWord.quoted(out))")
        for one in written.prefix(Self.mostShown) { output.note("  \(ShellWord.quoted(one.path))") }
        if written.count > Self.mostShown {
          output.note("  ... and \(written.count - Self.mostShown) more")
        }
      } else {
        try output.result(FileRow.table(rows))
      }
    }
    output.warn(sealed: sealed, all: all)
    output.warn(gapsOf: gaps)
    output.warn(
      written: written, failures, untried: untried.count + taken.count, among: rows.map(\.file),
      retired: retired)
    if leftOut > 0, let out {
      output.note(
        "\(counted(leftOut, "removed file")) \(leftOut == 1 ? "was" : "were") left out. To restore removed "
          + "files, too: keybackup restore --only files --removed --out \(ShellWord.quoted(out))")
    }
  }
}
