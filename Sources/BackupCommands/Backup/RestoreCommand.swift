package import ArgumentParser
internal import BackupFolder
internal import CLinux
internal import CSPP
package import CommandKit
internal import CommandSupport
internal import FileCommands
internal import Glibc
internal import SecretMemory
internal import SyncFolders
internal import Unlocking
internal import WalletCommands
internal import WalletFormats

/// `keybackup restore`: one touch, everything back.
package struct RestoreCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Decrypt every wallet and file with one touch.",
    discussion: """
      With --out, each wallet is written to a file of that folder, and each file to \
      COMPUTER/NAME there. Without it, tables show what could be restored.
      A wallet's file holds its entry as it was sealed. Its name is wallet-RECORD.json. \
      --names puts the wallet's name first, and adds a README.txt that says which file is \
      which and how to use it.
      The backup itself is only read.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Option(help: ArgumentHelp("Write the decrypted entries into this folder.", valueName: "folder"))
  var out: String?

  @Flag(help: "With --out: name the files by wallet; add a README.txt.")
  var names = false

  @OptionGroup var kinds: RestoredKindsOption
  @OptionGroup var place: SyncedFolderOption

  package init() {}

  package mutating func validate() throws {
    if out == "" || out == "-" { throw ValidationError("--out names a folder") }
    if names, out == nil { throw ValidationError("--names goes with --out") }
    if out == nil { try place.given.refuse(without: "--out") }
    if kinds.removed, out == nil { throw ValidationError("--removed goes with --out") }
    if names, kinds.only == .files { throw ValidationError("--names goes with wallets") }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let backup = try await unlock.backup(world)
    // The folder is made before the touch, so that nothing is decrypted that
    // could not be written.
    let target: RestoreFolder?
    // A run that restored nothing leaves nothing: only an empty folder can be removed so.
    var isMade = false
    defer { if isMade, let out { unsafe rmdir(out) } }
    if let out {
      try place.requirePrivate(out, besides: backup.folder.path, world)
      let folder = try RestoreFolder(path: out, world.run)
      isMade = folder.isMade
      target = consume folder
    } else {
      target = nil
    }
    var opened = try await backup.unlock(unlock, world)
    if kinds.only == .files { return try restoreFiles(opened, of: backup.folder.path, world) }
    var rows: [WalletRow] = []
    var watchOnly: Set<RecordID> = []
    let common = unlock.common
    var files = RestoredFiles(
      keepsAll: common.json || common.verbose || names,
      wayIn: unlock.recovery.again + unlock.guards.again)
    var done = 0
    let total = try backup.namespace(of: opened).countWalletFiles()
    var bar = ProgressBar(
      "Restoring", output: unlock.output(world), terminalName: world.variable("TERM"),
      events: unlock.common.events(world))
    let report: WalletReport
    var unwritten: [RestoreFolder.Failure] = []
    if var target {
      do throws(UserMessage) {
        report = try opened.forEachWallet { version, entry throws(UserMessage) in
          if Task.isCancelled { throw .interrupted }
          let file = RestoredFile(version, in: entry, isNamed: names)
          if let written = try target.write(entry, as: file) { files.note(written) }
          if version.entry.spending(in: entry) == .watchOnly { watchOnly.insert(version.recordID) }
          done += 1
          bar.advance(to: done, of: total)
        }
        try target.synchronize()
        unwritten = target.failures(&files)
        // Where there are only files, nothing has to be explained.
        if names, !files.isEmpty {
          unwritten += [
            try target.explain(
              files.explanation(withFiles: opened.hasBackedUpFiles && kinds.only == nil))
          ].compactMap(\.self)
        }
      } catch {
        bar.finish()
        let files = kinds.only == nil ? (try? opened.allFiles().count { !$0.isRemoved }) ?? 0 : 0
        throw target.ending(error, of: total, files: files)
      }
      let code = ExitReason.mostUrgent(
        of: [report.exitCode(opened.health, opened.logFindings)] + unwritten.codes)
      if let obstacle = target.obstacle(code, others: report.failures.count + unwritten.count) {
        bar.finish()
        let output = unlock.output(world)
        output.warn(report, opened.health, opened.logFindings, all: common.verbose)
        output.warn(unwritten)
        let part = filesPart(opened, world)
        try endIfInterrupted(report.restored, part.writtenCount)
        if !common.json { try part.show(output, out: out, all: common.verbose) }
        if let other = part.obstacle { output.warn(other) }
        throw obstacle.ending(with: part.exitCode(with: obstacle.code))
      }
      if target.hasOtherExplanation {
        unlock.output(world).warn(
          "keybackup: \(ShellWord.quoted("\(out ?? "")/\(RestoredFiles.explanationName)")) was there "
            + "already and was left as it is")
      }
    } else {
      let listed = !unlock.common.json
      report = try opened.forEachWallet { version, entry throws(UserMessage) in
        if Task.isCancelled { throw .interrupted }
        let row = WalletRow(version, in: entry)
        if row.spending == .watchOnly { watchOnly.insert(row.recordID) }
        if listed { rows.append(row) }
        done += 1
        bar.advance(to: done, of: total)
      }
    }
    bar.finish()
    try endIfInterrupted(report.restored)
    let part = filesPart(opened, world)
    try endIfInterrupted(report.restored, part.writtenCount)
    do throws(UserMessage) {
      try show(
        report, unwritten, opened.health, opened.logFindings, rows, files, part,
        watchOnly: watchOnly.count, of: backup.folder.path,
        isRotated: !opened.predecessors.isEmpty, world)
    } catch {
      guard let out else { throw error }
      unlock.output(world).warn(
        report, opened.health, opened.logFindings, all: unlock.common.verbose)
      throw error.adding(
        hint: "\(counted(report.restored, "wallet")) \(report.restored == 1 ? "is" : "are") in "
          + ShellWord.quoted(out))
    }
    WatchOnlyMemory(opened.id, world).keep(watchOnly)
    backup.tell(opened, openedBy: unlock.recovery, unlock.output(world))
    let conflicts = report.counts[.conflict]
    if conflicts > 0 {
      unlock.output(world).warn(
        "keybackup: \(counted(conflicts, "wallet")) \(conflicts == 1 ? "has" : "have") several "
          + "versions; all of them are restored")
      unlock.output(world).warn("hint: to see and settle them: keybackup conflicts list")
    }
    let heldBack = report.counts[.heldBack]
    if heldBack > 0 {
      unlock.output(world).warn(
        "keybackup: a retired computer wrote \(counted(heldBack, "wallet")), held back"
          + (out == nil ? "" : "; their files have \"held-back\" in the name"))
      unlock.output(world).warn("hint: to accept or remove them, see: keybackup conflicts list")
    }
    let kept = opened.keptAgainstRemoval.count
    if kept > 0 {
      unlock.output(world).note(
        "\(counted(kept, "wallet")) \(kept == 1 ? "was" : "were") removed on one computer and "
          + "changed on another. The change was kept.")
    }
    let code = ExitReason.mostUrgent(
      of: opened.walletGapCodes + [report.exitCode(opened.health, opened.logFindings)]
        + unwritten.codes + (heldBack > 0 ? [.conflict] : []))
    // As JSON, what was not written stands among the failures.
    return common.json ? part.exitCode(with: code) : try part.end(with: code)
  }

  /// Restores files beside wallets, if they are asked for.
  private func filesPart(_ opened: borrowing OpenNamespace, _ world: World) -> FilesPart {
    if kinds.only != nil { return FilesPart() }
    return FilesPart(
      opened, into: out, withRemoved: kinds.removed, isAlone: false, unlock.common, world)
  }

  /// Ends the run if a signal asked for it, and tells how much is in the folder.
  private func endIfInterrupted(_ wallets: Int, _ files: Int = 0) throws(UserMessage) {
    guard Interruption.received, let out else { return try Interruption.check() }
    throw .interrupted(wallets: wallets, files: files, in: out)
  }

  /// Restores files and no wallets.
  private func restoreFiles(
    _ opened: borrowing OpenNamespace, of folder: String, _ world: World
  ) throws(UserMessage) -> ExitReason {
    let output = unlock.output(world)
    let part = FilesPart(
      opened, into: out, withRemoved: kinds.removed, isAlone: true, unlock.common, world)
    try endIfInterrupted(0, part.writtenCount)
    if unlock.common.json {
      var json: JSONOutput = [
        "restored": 0, "failed": .array(opened.logFindings.map(\.json)),
        "freshness": .string(opened.health.freshness),
        "known": .bool(opened.health.isFreshnessKnown), "history": opened.health.history,
      ]
      if let copies = opened.health.copiesJSON { json["copies"] = copies }
      part.add(to: &json, out: out)
      try output.result(json: json)
      return part.exitCode(with: .success)
    } else {
      if part.isEmpty, opened.logFindings.isEmpty {
        try output.result("The backup in \(ShellWord.quoted(folder)) holds no files.")
      }
      output.warn(sealed: opened.logFindings, all: unlock.common.verbose)
      try part.show(output, out: out, all: unlock.common.verbose)
      output.warn(opened.health, opened.logFindings)
      noteFreshness(opened.health, isRotated: !opened.predecessors.isEmpty, world)
    }
    return try part.end(with: .success)
  }

  private func show(
    _ report: WalletReport, _ unwritten: [RestoreFolder.Failure], _ health: LogHealth,
    _ logFindings: [FileFinding], _ rows: [WalletRow], _ files: RestoredFiles, _ part: FilesPart,
    watchOnly: Int, of folder: String, isRotated: Bool, _ world: World
  ) throws(UserMessage) {
    let output = unlock.output(world)
    let lost = unwritten.count { $0.name != RestoredFiles.explanationName }
    let restored = max(0, report.restored - lost)
    if unlock.common.json {
      var json: JSONOutput = [
        "restored": .number(restored), "watch_only": .number(watchOnly),
        "failed": .array(
          (report.failures + logFindings).map(\.json) + unwritten.map(\.json)),
        "freshness": .string(health.freshness), "known": .bool(health.isFreshnessKnown),
        "history": health.history,
      ]
      if let copies = health.copiesJSON { json["copies"] = copies }
      if out != nil { json["files"] = files.json }
      if !report.replaced.isEmpty { json["damaged"] = .array(report.replaced.map(\.json)) }
      if kinds.only == nil { part.add(to: &json, out: out) }
      try output.result(json: json)
      return
    }
    if out == nil, !rows.isEmpty {
      let sorted = rows.sorted { ($0.name ?? "", $0.id) < ($1.name ?? "", $1.id) }
      try output.result(WalletRow.table(sorted))
    }
    let noun = restored == 1 ? "wallet" : "wallets"
    if report.restored == 0, report.exitCode(health, logFindings) == .success {
      // Its files are told below.
      if part.isEmpty {
        try output.result("The backup in \(ShellWord.quoted(folder)) holds no wallets.")
      }
    } else if let out {
      try output.result("Restored \(restored) \(noun) into \(ShellWord.quoted(out))")
    } else if report.restored > 0 {
      output.note(
        "\(report.restored) \(noun) can be restored. To write them: keybackup restore --out FOLDER "
          + "--names")
    }
    if !files.isEmpty {
      output.note(
        "These files contain unencrypted wallet secrets. Move them to where you need them, then "
          + "delete them.")
      noteNeighbour(folder, world)
      output.note(files.table)
      for line in files.lines { output.note(line) }
    }
    output.warn(renamed: files.renamed)
    output.note(watchOnly: watchOnly)
    try part.show(output, out: out, all: unlock.common.verbose)
    for (_, text) in report.replaced.lines(all: unlock.common.verbose) {
      output.warn("keybackup: damaged file, restored from the log: \(text)")
    }
    if !report.replaced.isEmpty {
      output.warn("hint: to write the file again: keybackup key repair")
    }
    output.warn(unwritten)
    output.warn(report, health, logFindings, all: unlock.common.verbose)
    noteFreshness(health, isRotated: isRotated, world)
  }

  /// Warns where the wallets lie beside the backup, and an unknown sync program may take both.
  private func noteNeighbour(_ folder: String, _ world: World) {
    func parent(_ path: String) -> Substring? {
      FileCheck.absolute(path).map { $0[..<($0.lastIndex(of: "/") ?? $0.startIndex)] }
    }
    guard let out, let place = parent(out), place == parent(folder),
      // A home is hardly synchronised as a whole.
      place != world.variable("HOME").flatMap(FileCheck.absolute).map({ $0[...] }),
      case .alone? = FolderCarrier.look(at: folder, world)
    else { return }
    unlock.output(world).warn(
      "keybackup: \(ShellWord.quoted(out)) lies beside the backup's folder. If a sync program takes "
        + "both to the cloud, these wallets are there now, unencrypted.")
  }

  /// Tells on a computer that is new to the backup that there may be something newer.
  private func noteFreshness(_ health: LogHealth, isRotated: Bool, _ world: World) {
    guard !health.isFreshnessKnown, let word = FreshnessWord(health.freshness) else { return }
    unlock.output(world).note(
      // It may have opened the earlier backup many times.
      "This computer opened the backup for the first time"
        + (isRotated ? " since its master key was rotated" : "")
        + ". It cannot tell whether something newer exists.")
    unlock.output(world).note(
      "To find out, take the freshness word of your recovery kit, or the one that status shows on "
        + "another computer. Then run: keybackup status --freshness WORD")
    unlock.output(world).note("The word of this folder is \(word.grouped).")
  }
}
