package import ArgumentParser
internal import BackupFolder
package import CommandKit
internal import FileCommands
internal import SyncFolders
internal import Unlocking
internal import WalletCommands

/// `keybackup status`: how the backup stands and what is at risk.
///
/// Needs no key.
package struct StatusCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show what is saved and what is at risk.",
    discussion: """
      Needs no security key. The freshness word at the end is short enough to read out: with \
      --freshness, another computer tells whether its folder lacks anything.
      Look at the folder before you use --accept. What is gone or contradicts itself is no \
      longer reported afterwards.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var folder: FolderOptions
  @OptionGroup var sync: SyncOptions

  @Flag(
    help: "Also ask the sync program whether another place has everything (up to 5 s).")
  var synchronised = false

  @Flag(help: "Also ask the guards for tries left and logins that wait, over the network.")
  var guards = false

  @OptionGroup var addresses: GuardAddressOptions

  @Option(
    help: ArgumentHelp(
      "Compare with the freshness word of another computer.", valueName: "word"))
  var freshness: String?

  @Flag(help: "Accept the folder as it is now.")
  var accept = false

  @Flag(name: [.short, .long], help: "With --accept: do not ask.")
  var yes = false

  package init() {}

  package mutating func validate() throws {
    if accept, freshness != nil {
      throw ValidationError("--accept and --freshness do not go together")
    }
    if guards, accept { throw ValidationError("--accept and --guards do not go together") }
    if accept {
      try (GivenOptions(["--synchronised": synchronised]) + sync.given).refuse(besides: "--accept")
    }
    if !guards { try addresses.given.refuse(without: "--guards") }
    if yes, !accept { throw ValidationError("--yes goes with --accept") }
    if let freshness, FreshnessWord(freshness) == nil {
      throw ValidationError("a freshness word has 16 letters and digits, an older one 10")
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    if accept {
      let place = try folder.opened(world, common.output(world), common)
      return try FolderAcceptance(common: common, isConfirmed: yes).run(
        place, folder.namespaceID(in: place), world)
    }
    let backup = try await Backup.find(folder, sync, common, world, for: .report)
    try backup.requireOne(world.run)
    var report = try StatusReport(structureOf: backup, world.run)
    if let word = freshness.flatMap({ FreshnessWord($0) }) {
      do throws(BackupFolderError) {
        report.comparison =
          report.isIncomplete ? .unknown : try backup.namespace.compare(with: word)
      } catch {
        throw UserMessage(error)
      }
    }
    try Interruption.check()
    report.listsAll = common.verbose
    report.watchOnly = WatchOnlyMemory(backup.namespace.id, world).records?.count
    let writer = LocalWriterReport(backup.folder, backup.namespace.id, world)
    report.stored.writer = writer
    report.stored.remembered = RememberedFilesReport(
      backup.namespace, besides: writer.ids, world)
    report.stored.watched = WatchedReport(backup.folder.path, world)
    report.cachedKeys = CachedKeyReport.all(backup.namespace.id, in: backup.folder, world)
    report.judgeAll(at: world.now())
    switch FolderCarrier.look(at: report.folder, world) {
    case .carried(let title): report.carrier = title
    case .alone:
      report.advice.append(
        "no sync program is known to carry this folder to another place. Until one "
          + "does, this computer has the only copy.")
    case nil: break
    }
    if synchronised {
      report.add(SyncAnswer.ask(backup.folder.path, backup.namespace.id, world))
    }
    let look = guards ? try GuardLook(backup.allKeySlots(), addresses, common, world) : nil
    if common.json {
      var json = report.json
      json["verdict"] = .string(report.verdict)
      if let look { json["guarded_ways"] = .array(look.surveys.map(\.json)) }
      try common.output(world).result(json: json)
    } else {
      try common.output(world).result(title: report.verdict)
      for line in report.lines(below: report.verdict) {
        try common.output(world).result(line, hanging: StatusVerdict.margin(of: line))
      }
      for survey in look?.surveys ?? [] {
        try common.output(world).result(survey.title)
        for line in survey.lines { try common.output(world).result(line) }
      }
    }
    let isWarned = look?.code ?? .success != .success
    return isWarned ? .mostUrgent(of: [report.exitCode, .atRisk]) : report.exitCode
  }
}
