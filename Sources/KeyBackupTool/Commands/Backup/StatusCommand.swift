internal import ArgumentParser
internal import BackupFolder

/// `keybackup status`: how the backup stands and what is at risk.
///
/// Needs no key.
struct StatusCommand: ParsableCommand, KeyBackupCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show how the backup stands and what is at risk. Needs no security key.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var folder: FolderOptions
  @OptionGroup var sync: SyncOptions

  @Flag(
    help: "Also ask the sync program whether everything has reached another place (up to 5 s).")
  var synchronised = false

  func run(in world: World) async throws(UserMessage) -> ExitCode {
    let backup = try await Backup.find(folder, sync, common, world, for: .report)
    let scan = try backup.scan()
    let structure: StructureReport
    do throws(BackupFolderError) {
      structure = try backup.namespace.checkStructure()
    } catch {
      throw UserMessage(error)
    }
    try Interruption.check()
    var report = StatusReport(
      namespaceID: backup.namespace.id, wallets: structure.wallets.counts,
      keys: scan.waysIn.count, health: structure.health,
      findings: scan.findings + structure.wallets.findings, codes: [], advice: [])
    report.judge()
    if scan.waysIn.count < 2 {
      report.codes.append(.atRisk)
      report.advice.append(
        "there is one way in: losing that security key loses the backup; keep another copy of "
          + "your wallets")
    }
    if synchronised {
      report.add(SyncAnswer.ask(backup.folder.path, backup.namespace.id, world))
    }
    if common.json {
      try common.output.result(json: report.json)
    } else {
      for line in report.lines { try common.output.result(line) }
    }
    return report.exitCode
  }
}
