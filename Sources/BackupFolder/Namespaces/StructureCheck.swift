internal import CSPP

/// The result of checking a folder without a key.
///
/// Headers are taken as they are. Anyone who can write to the folder can forge them, and only a run
/// with the key detects that.
public struct StructureReport: Sendable {
  /// The wallets' files; ``WalletReport/restored`` stays 0.
  public let wallets: WalletReport
  /// The number of whole files with another name than the wallet's own, such as a sync program's
  /// conflict copies.
  ///
  /// Only a run with the key tells whether they differ.
  public let copies: Int
  /// The state of the logs according to the operations' headers.
  public let health: LogHealth
}

extension Namespace {
  /// Parses every wallet file and log file without opening any, and compares the logs with the
  /// local state.
  ///
  /// A wallet whose file parses counts as ``WalletState/current``.
  ///
  /// - Parameter isReadingSealed: whether what silent writers wrote is read, too, and compared with its
  ///   names.
  /// - Returns: the findings and counts.
  /// - Throws: if a listing fails.
  public func checkStructure(
    readingSealed isReadingSealed: Bool = false
  ) throws(BackupFolderError) -> StructureReport {
    var report = WalletReport()
    var copies = 0
    do throws(BackupFolderError) {
      try checkView(&report, &copies)
    } catch {
      if error == .interrupted { throw error }
      let finding = FileFinding(unlisted: FolderLayout.walletFolder, error)
      report.findings.report(finding)
      if finding.state == .incomplete { report.counts[.incomplete] += 1 }
    }
    let localState = rememberedOrNothing()
    let log = try LogHeaders.read(self, localState: localState)
    report.findings += log.findings
    var missingSealed: OperationNames = []
    do throws(BackupFolderError) {
      missingSealed = try self.missingSealed()
    } catch {
      if error == .interrupted { throw error }
      report.findings.report(FileFinding(unlisted: SealedLog.path, error))
    }
    if isReadingSealed { report.findings += try checkSealed() }
    report.failures = report.findings
    for finding in report.findings {
      if let record = finding.recordID { report.notCurrent[record] = finding.state }
    }
    var health = health(
      of: log.index, localState: localState, unsynchronised: log.problems.awaited(localState),
      damaged: log.damaged)
    health.include(rolledBack: missingSealed)
    return StructureReport(wallets: report, copies: copies, health: health)
  }

  private func checkView(
    _ report: inout WalletReport, _ copies: inout Int
  ) throws(BackupFolderError) {
    var buffer = FileBuffer()
    let wallets = try walletFolder()
    var files = try viewFiles()
    var damaged: Set<RecordID> = []
    while let file = try files.nextFile() {
      guard file.claimsWallet else { continue }
      guard let folder = file.isOlderPlace ? directory : wallets else { continue }
      let limit = settings.limits.record
      let problem = FileProblem.found(
        &buffer,
        read: { (buffer) throws(FileProblem) in
          try buffer.read(file.name, in: folder, limit: limit)
        },
        parse: { (bytes) throws(CSPPError) in
          _ = try WalletEnvelope(
            parsing: bytes, at: id, recordID: file.named, limit: limit)
        })
      if let problem {
        if let record = file.claimed {
          damaged.insert(record)
        } else if let record = file.copied, !damaged.contains(record),
          folder.holds(FolderLayout.walletFile(record))
        {
          report.findings.report(
            FileFinding(
              file: file.path, recordID: nil, state: .foreign,
              reason: "\(problem.reason); another file has this wallet"))
          continue
        }
        let state = file.isSyncPlaceholder ? .incomplete : problem.state
        report.findings.report(
          FileFinding(
            file: file.path, recordID: file.claimed, state: state,
            reason: file.isSyncPlaceholder ? SyncPlaceholder.reason : problem.reason))
        report.counts[state] += 1
      } else if file.named == nil {
        copies += 1
      } else if !file.isOlderPlace || wallets?.holds(file.name) != true {
        report.counts[.current] += 1
      }
    }
  }

  /// Whether this computer has opened every operation of the log, and none is missing.
  ///
  /// A key slot that it does not remember as enrolled is then enrolled by no operation.
  public var hasOpenedWholeLog: Bool {
    let localState = rememberedOrNothing()
    guard knowsKeySlots, let log = try? LogHeaders.read(self, localState: localState),
      log.findings.allSatisfy({ $0.state == .foreign }),
      log.index.names.allSatisfy(localState.operations.contains)
    else { return false }
    let health = health(
      of: log.index, localState: localState, unsynchronised: log.problems.awaited(localState),
      damaged: log.damaged)
    return health.incomplete + health.rolledBack == 0
  }

  /// The local state; empty where it cannot be read, so that freshness is unknown.
  func rememberedOrNothing() -> LocalState {
    let state = try? state(make: false)
    return (try? state?.localState(of: id)) ?? LocalState()
  }

  /// Compares the logs with the local state and with the key slots.
  ///
  /// - Parameters:
  ///   - index: the operations that are here.
  ///   - localState: what this computer opened before.
  ///   - unsynchronised: operations whose file is empty, a placeholder or cut off.
  ///   - damaged: operations whose file holds something else.
  /// - Returns: counts, and the freshness word.
  func health(
    of index: LogIndex, localState: LocalState, unsynchronised: Set<OperationName>,
    damaged: Set<OperationName>
  ) -> LogHealth {
    var health = index.health(
      localState: localState, unsynchronised: unsynchronised, damaged: damaged)
    compareCopies(&health, localState) {
      index.missing(among: $0, unsynchronised: unsynchronised, damaged: damaged)
    }
    let isAccepted = localState.acceptedAt != nil && localState.accepted.isEmpty
    if index.nodes.isEmpty, health.incomplete == 0, !isAccepted,
      (try? scan())?.keySlots.contains(where: { $0.keyID != nil }) == true
    {
      // A key slot that this program wrote always has an operation.
      health.incomplete = 1
    }
    return health
  }
}
