package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import FileCommands
internal import SecretMemory
internal import Unlocking
internal import WalletCommands
internal import WalletFormats

/// `keybackup verify`: is everything there and readable? Prints no secret.
package struct VerifyCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check the backup: its structure, or with --deep every record.",
    discussion: """
      Without --deep no security key is needed, and what is encrypted is not checked. The \
      backup is only read.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Flag(help: "Decrypt and check every record, with one touch.")
  var deep = false

  package init() {}

  package mutating func validate() throws {
    if !deep { try unlock.given.refuse(without: "--deep") }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let backup = try await unlock.backup(world, for: .report)
    var report: StatusReport
    var openedBy: String?
    if deep {
      // What keeps the key slots from being read is told before a touch.
      if !backup.isOpen { _ = try backup.scan() }
      var damaged: [FileFinding] = []
      let unlocked = try await backup.masterKey(unlock, world, damaged: &damaged)
      let used = UsedWayIn(unlocked)
      var opened = try await backup.open(unlocked, unlock, world)
      report = try StatusReport(of: opened, in: backup, world.run)
      report.findings += damaged
      var watchOnly: Set<RecordID> = []
      let read = opened.forEachWallet { version, entry in
        if version.entry.spending(in: entry) == .watchOnly { watchOnly.insert(version.recordID) }
      }
      report.note(read, of: opened)
      var bar = ProgressBar(
        "Checking", unit: .bytes, output: unlock.output(world),
        terminalName: world.variable("TERM"), events: unlock.common.events(world))
      let summary = FileSummary(of: opened, &bar)
      opened.remember(summary, world)
      report.stored = StoredFilesReport(summary, at: world.now())
      report.findings += report.stored.damaged + report.stored.incomplete
      // An interruption is noticed below.
      let others = (try? opened.checkOtherObjects()) ?? []
      report.findings += others
      let older = others.filter { $0.state != .foreign }
      if older.contains(where: { $0.state == .unreadable }) {
        report.advice.append(
          "contents of older versions are damaged. Your sync provider may have older copies of "
            + "keybackup/objects. To give old versions up: keybackup file prune")
      }
      if report.stored.lacksContents || !older.isEmpty {
        report.spent = []
        if !opened.earlierNamespaces.isEmpty {
          report.advice.append(
            "an earlier backup may have the contents that are damaged or missing. To copy them: "
              + "keybackup key repair")
        }
      }
      report.copies = try backup.namespace(of: opened).countWalletCopies()
      report.watchOnly = watchOnly.count
      WatchOnlyMemory(opened.id, world).keep(watchOnly)
      openedBy = used.id(in: opened)?.hex
      if let note = used.note(in: opened) { unlock.output(world).note(note) }
    } else {
      try backup.requireOne(world.run)
      report = try StatusReport(structureOf: backup, world.run, readingAll: true)
    }
    try Interruption.check()
    report.stored.writer = LocalWriterReport(backup.folder, report.namespaceID, world)
    report.listsAll = unlock.common.verbose
    report.judge()
    report.judgeKeySlots(at: world.now())
    if unlock.common.json {
      var json = report.json
      json["deep"] = .bool(deep)
      if deep { json["opened_by"] = .optional(openedBy) }
      try unlock.output(world).result(json: json)
    } else {
      for line in report.lines() {
        try unlock.output(world).result(line, hanging: StatusVerdict.margin(of: line))
      }
      if report.exitCode == .success, report.health.unreadRotation == nil {
        unlock.output(world).note(
          deep
            ? (report.stored.hasFiles
              ? "Every wallet and every current file was decrypted."
              : "Every wallet was decrypted.")
            : "Every file has the right structure. To decrypt them: keybackup verify --deep")
      }
    }
    return report.exitCode
  }
}
