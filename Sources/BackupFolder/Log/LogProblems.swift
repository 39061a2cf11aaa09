internal import CSPP

/// The problems of log files.
///
/// The number kept of each kind is limited, so that a crafted folder costs no more than a log.
/// Further ones only affect counts.
struct LogProblems {
  private static let limit = 1 << 16

  /// Operations whose file is here but empty, a placeholder or cut off, by the file's name.
  private(set) var unsynchronised: Set<OperationName> = []
  /// Operations whose file is here but does not hold them, by the file's name.
  private(set) var damaged: Set<OperationName> = []
  private(set) var findings: [FileFinding] = []
  /// Folders of writers that could not be listed.
  var unlistedWriters: Set<String> = []
  /// Whether no folder could be listed.
  var isUnlisted = false

  /// Operations whose file is here and was not read.
  var unread: OperationNames { OperationNames(unsynchronised.union(damaged)) }

  /// Reports a file that could not be used; a placeholder is reported only as an awaited file.
  mutating func report(
    _ location: LogFile, in files: inout LogFiles, state: WalletState, reason: String
  ) {
    guard case .other(let folder, let file) = location, let awaited = SyncPlaceholder.awaited(file)
    else {
      return report(location, state: state, reason: reason)
    }
    if files.holds(awaited, of: folder) { return }
    report(location, state: .incomplete, reason: SyncPlaceholder.reason)
  }

  mutating func report(_ location: LogFile, state: WalletState, reason: String) {
    if let name = location.claimedName {
      if state != .incomplete {
        if damaged.count < Self.limit { damaged.insert(name) }
      } else if unsynchronised.count < Self.limit {
        unsynchronised.insert(name)
      }
    }
    findings.report(FileFinding(file: location.path, recordID: nil, state: state, reason: reason))
  }

  mutating func report(_ finding: FileFinding) {
    findings.report(finding)
  }

  /// Reports a file that holds an operation in another spelling than a writer's.
  mutating func report(_ location: LogFile, spelling file: OperationFile) {
    if !file.isRespelled { return }
    findings.report(
      FileFinding(
        file: location.path, recordID: nil, state: .foreign, reason: Self.respelledReason))
  }

  /// The reason reported for a file in another spelling; nothing is lost by it.
  static let respelledReason =
    "holds an operation as no writer spells it: a copy that another program made; it changes nothing"

  /// Reports the number of listed files that are too many to be read.
  mutating func report(surplus: Int) {
    if surplus == 0 { return }
    findings.report(
      FileFinding(
        file: "\(FolderLayout.ownFolder)/\(FolderLayout.logFolder)", recordID: nil,
        state: .unreadable,
        reason: "\(surplus == 1 ? "1 file" : "\(surplus) files") too many to look at"))
  }
}
