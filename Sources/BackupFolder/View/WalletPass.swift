internal import CSPP

/// The progress of one run over all wallets.
struct WalletPass {
  /// The knowledge about one record, in eight bytes.
  private struct Tally {
    /// The worst state met; nil if nothing of the record was met.
    var worst: WalletState?
    var inCurrentPlace = false
    /// Whether a file with its name gave nothing.
    var hasFailed = false
    var opened: Int32 = 0
  }

  /// The action to take for an opened view file.
  enum Verdict: Equatable {
    /// Pass on this version.
    case show(WalletState)
    /// Skip it: it is known already, or older than the log.
    case pass
  }

  private(set) var report = WalletReport()
  /// Copies of wallets' files that gave nothing.
  private var copies: [(record: RecordID, finding: FileFinding)] = []
  /// The log's records by their numbers there, then those that no log has.
  private var records: RecordNumbers
  private var tallies: [Tally]
  /// Digests that no `put` has and that were already shown.
  private var shown: Set<Digest> = []
  private var shownPlaces: [Bool]
  /// Operations that were here once, except those that cannot be read now.
  private let remembered: OperationNames
  private let unread: OperationNames
  /// Operations that were given up; and, once requested, those that are here.
  private let forgotten: OperationNames
  private var present: OperationNames?

  init(index: LogIndex, localState: LocalState, unread: OperationNames) {
    records = index.versions.numbers
    tallies = [Tally](repeating: Tally(), count: records.count)
    shownPlaces = [Bool](repeating: false, count: index.versions.count)
    remembered = localState.operations
    forgotten = localState.forgotten
    self.unread = unread
  }

  /// Judges a view file that was opened.
  mutating func judge(
    _ file: ViewFile, _ entry: WalletEntry, _ value: Digest, index: LogIndex
  ) -> Verdict {
    let record = entry.recordID
    let misplaced = file.named.map { $0 != record } ?? false
    if misplaced {
      report(
        file.path, file.named, .unreadable, "holds another wallet's record, under this one's name")
    }
    switch index.standing(of: value, record: record) {
    case .live(let place):
      // No CSPP reader finds it under another wallet's name, so it counts as missing from the view.
      if misplaced || shownPlaces[place] { return .pass }
      shownPlaces[place] = true
      return .show(index.isConflicted(record) ? .conflict : .current)
    case .superseded:
      report.stale += 1
      return .pass
    case .unknown:
      if file.isOlderPlace, tally(of: record)?.inCurrentPlace == true { return .pass }
      if isStaged(file, entry.mark, index) { return .pass }
      if !shown.insert(value).inserted { return .pass }
      if !file.isOlderPlace { tally(record, .current) { $0.inCurrentPlace = true } }
      guard let mark = entry.mark, !isPresent(mark, index) else { return .show(.foreign) }
      let isLost =
        remembered.contains(mark.writerID, mark.counter)
        && !unread.contains(mark.writerID, mark.counter)
      return .show(isLost ? .rolledBack : .incomplete)
    }
  }

  private mutating func isPresent(_ mark: WalletEntry.Mark, _ index: LogIndex) -> Bool {
    let names = present ?? index.names
    present = names
    return names.contains(mark.writerID, mark.counter)
      || forgotten.contains(mark.writerID, mark.counter)
  }

  /// Whether a file was probably written for an operation that was never published.
  ///
  /// It has a temporary name, and its operation is not and was not here. A crash may have left it,
  /// or a sync client delivered it before the operation. Nobody was told that its contents are
  /// saved.
  private mutating func isStaged(
    _ file: ViewFile, _ mark: WalletEntry.Mark?, _ index: LogIndex
  ) -> Bool {
    guard AtomicFile.isStaged(file.name), let mark else { return false }
    return !isPresent(mark, index) && !remembered.contains(mark.writerID, mark.counter)
  }

  /// Whether a version of an earlier namespace is not in this one and was not shown yet.
  mutating func isLate(_ record: RecordID, _ value: Digest, index: LogIndex) -> Bool {
    index.standing(of: value, record: record) == .unknown && shown.insert(value).inserted
  }

  /// The live `put`s that no view file has shown, with their states.
  func remaining(index: LogIndex) -> [(place: Int, state: WalletState)] {
    var remaining: [(place: Int, state: WalletState)] = []
    for number in index.records.indices {
      let live = index.live(number: number)
      for place in live where !shownPlaces[place] {
        // If another program's version has the record's place in the view, the logged one does not
        // count as missing.
        let displaced = tallies[number].opened > 0
        remaining.append((place, live.count > 1 ? .conflict : displaced ? .current : .missing))
      }
    }
    return remaining
  }

  /// Counts a version that is passed on.
  ///
  /// - Returns: the number of earlier versions of its record.
  mutating func count(_ record: RecordID, _ state: WalletState) -> Int {
    report.versions += 1
    let earlier = tally(of: record)?.opened ?? 0
    tally(record, state) { $0.opened += 1 }
    return Int(earlier)
  }

  /// Whether a file with the record's name is here and is permanently unreadable.
  func hasDamagedFile(_ record: RecordID) -> Bool {
    tally(of: record).map { $0.hasFailed && $0.worst == .unreadable } ?? false
  }

  /// Reports a view file that gave nothing.
  mutating func report(_ file: ViewFile, _ failure: WalletReader.Failure) {
    let state = file.isSyncPlaceholder ? .incomplete : failure.state
    let reason = file.isSyncPlaceholder ? SyncPlaceholder.reason : failure.reason
    if file.claimed == nil, let record = file.copied, copies.count < Self.mostCopies {
      let finding = FileFinding(file: file.path, recordID: nil, state: state, reason: reason)
      copies.append((record, finding))
    } else {
      report(file.path, file.claimed, state, reason)
    }
  }

  private static let mostCopies = 1 << 14

  /// Judges the copies that gave nothing: beside their wallet they change nothing.
  private mutating func judgeCopies() {
    for (record, copy) in copies {
      if (tally(of: record)?.opened ?? 0) == 0 {
        report(copy.file, nil, copy.state, copy.reason)
      } else {
        report.findings.report(
          FileFinding(
            file: copy.file, recordID: record, state: .foreign,
            reason: "\(copy.reason); another file has this wallet"))
      }
    }
  }

  /// Reports a file that gave nothing.
  mutating func report(
    _ file: String, _ record: RecordID?, _ state: WalletState, _ reason: String
  ) {
    report.findings.report(
      FileFinding(file: file, recordID: record, state: state, reason: reason))
    if let record {
      tally(record, state) { $0.hasFailed = true }
    } else {
      report.counts[state] += 1
    }
  }

  /// Reports a folder that could not be listed fully; the log still has everything that this
  /// program wrote.
  mutating func noteUnlisted(_ error: BackupFolderError) {
    let finding = FileFinding(unlisted: FolderLayout.walletFolder, error)
    report.findings.report(finding)
    if finding.state == .incomplete { report.counts[.incomplete] += 1 }
  }

  /// Ends the run.
  consuming func finish() -> WalletReport {
    judgeCopies()
    for (number, tally) in tallies.enumerated() {
      guard let worst = tally.worst else { continue }
      if worst != .current, report.notCurrent.count < WalletReport.mostNotCurrent {
        report.notCurrent[records.records[number]] = worst
      }
      report.counts[worst] += 1
      if tally.opened > 0 { report.restored += 1 }
    }
    report.failures = failures()
    return report
  }

  /// Findings whose wallet was not restored from elsewhere.
  private func failures() -> [FileFinding] {
    var failures: [FileFinding] = []
    var named: Set<RecordID> = []
    for finding in report.findings {
      if let record = finding.recordID {
        if (tally(of: record)?.opened ?? 0) > 0 { continue }
        named.insert(record)
      }
      // Further findings that are only counted follow below, or have no record.
      var failure = finding
      failure.further = 0
      failures.append(failure)
    }
    for (number, tally) in tallies.enumerated() where tally.hasFailed && tally.opened == 0 {
      let record = records.records[number]
      if named.contains(record) { continue }
      failures.report(
        FileFinding(
          file: "\(FolderLayout.walletFolder)/\(FolderLayout.walletFile(record))", recordID: record,
          state: tally.worst ?? .unreadable, reason: "gave no wallet"))
    }
    return failures
  }

  private func tally(of record: RecordID) -> Tally? {
    records.number(of: record).map { tallies[$0] }
  }

  /// Changes a record's tally and lowers its state if necessary.
  private mutating func tally(
    _ record: RecordID, _ state: WalletState, _ change: (inout Tally) -> Void = { _ in }
  ) {
    let number = records.add(record)
    if number == tallies.count { tallies.append(Tally()) }
    tallies[number].worst = max(tallies[number].worst ?? state, state)
    change(&tallies[number])
  }
}
