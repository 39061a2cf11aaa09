internal import CSPP

/// What one run over all wallets has met so far.
struct WalletPass {
  private struct Tally {
    var worst: WalletState
    var opened = 0
    var inCurrentPlace = false
  }

  /// What the caller does with an opened view file.
  enum Verdict: Equatable {
    /// A version to hand out.
    case show(WalletState)
    /// Known already, or older than the log.
    case pass
  }

  private(set) var report = WalletReport()
  private var tallies: [RecordID: Tally] = [:]
  private var shown: Set<Digest> = []
  private var shownPlaces: [Bool]
  /// Operations that are here or given up, and those that were here once.
  private let present: Set<WalletEntry.Mark>
  private let remembered: Set<WalletEntry.Mark>

  init(index: LogIndex, memory: Memory, unread: Set<OperationName>) {
    shownPlaces = [Bool](repeating: false, count: index.versions.count)
    present = Set(
      index.nodes.map {
        WalletEntry.Mark(writerID: $0.reference.writerID, counter: $0.reference.counter)
      }
    ).union(Self.marks(memory.forgotten))
    remembered = Self.marks(memory.operations).subtracting(Self.marks(unread))
  }

  private static func marks(_ names: Set<OperationName>) -> Set<WalletEntry.Mark> {
    Set(names.map { WalletEntry.Mark(writerID: $0.writer, counter: $0.counter) })
  }

  /// Judges a view file that opened.
  mutating func judge(
    _ file: ViewFile, _ entry: WalletEntry, _ value: Digest, index: LogIndex
  ) -> Verdict {
    let record = entry.recordID
    let misplaced = file.named.map { $0 != record } ?? false
    if misplaced {
      note(
        file.path, file.named, .unreadable, "holds another wallet's record, under this one's name")
    }
    switch index.standing(of: value, record: record) {
    case .live(let place):
      // Under another wallet's name no CSPP reader finds it: it counts as
      // missing from the view.
      if misplaced { return .pass }
      shownPlaces[place] = true
      if !shown.insert(value).inserted { return .pass }
      return .show(index.isConflicted(record) ? .conflict : .current)
    case .superseded:
      report.stale += 1
      return .pass
    case .unknown:
      if file.isOlderPlace, tallies[record]?.inCurrentPlace == true { return .pass }
      if !shown.insert(value).inserted { return .pass }
      if !file.isOlderPlace { tally(record, .current) { $0.inCurrentPlace = true } }
      guard let mark = entry.mark, !present.contains(mark) else { return .show(.foreign) }
      return .show(remembered.contains(mark) ? .rolledBack : .incomplete)
    }
  }

  /// The live `put`s that no view file has shown, and how each stands.
  func remaining(index: LogIndex) -> [(place: Int, state: WalletState)] {
    var remaining: [(place: Int, state: WalletState)] = []
    for record in index.records {
      let live = index.live(record)
      for place in live where !shownPlaces[place] {
        // Where another program's version has the record's place in the view,
        // the logged one is not missing from it.
        let displaced = (tallies[record]?.opened ?? 0) > 0
        remaining.append((place, live.count > 1 ? .conflict : displaced ? .current : .missing))
      }
    }
    return remaining
  }

  /// Counts a version that is handed out.
  ///
  /// - Returns: how many of its record came before.
  mutating func count(_ record: RecordID, _ state: WalletState) -> Int {
    report.versions += 1
    let earlier = tallies[record]?.opened ?? 0
    tally(record, state) { $0.opened += 1 }
    return earlier
  }

  /// Notes a view file that gave nothing.
  mutating func note(_ file: ViewFile, _ failure: WalletReader.Failure) {
    note(
      file.path, file.claimed, file.isStandIn ? .incomplete : failure.state,
      file.isStandIn ? StandIn.reason : failure.reason)
  }

  /// Notes a file that gave nothing.
  mutating func note(
    _ file: String, _ record: RecordID?, _ state: WalletState, _ reason: String
  ) {
    report.findings.append(
      FileFinding(file: file, recordID: record, state: state, reason: reason))
    if let record { tally(record, state) } else { report.counts[state] += 1 }
  }

  /// Ends the run.
  consuming func finish() -> WalletReport {
    for tally in tallies.values {
      report.counts[tally.worst] += 1
      if tally.opened > 0 { report.restored += 1 }
    }
    report.failures = report.findings.filter { finding in
      guard let record = finding.recordID else { return true }
      return (tallies[record]?.opened ?? 0) == 0
    }
    return report
  }

  /// Changes a record's tally and makes its state worse if need be.
  private mutating func tally(
    _ record: RecordID, _ state: WalletState, _ change: (inout Tally) -> Void = { _ in }
  ) {
    var tally = tallies[record] ?? Tally(worst: state)
    tally.worst = max(tally.worst, state)
    change(&tally)
    tallies[record] = tally
  }
}
