internal import CSPP

/// What is wrong with files of the logs.
///
/// Of each kind so many are kept that a crafted folder costs no more than a
/// log; those beyond make no difference but to counts.
struct LogProblems {
  private static let limit = 1 << 16

  /// Operations whose file is there but empty, a placeholder or cut off, by its
  /// name.
  private(set) var unsynchronised: Set<OperationName> = []
  /// Operations whose file is there and does not hold them, by its name.
  private(set) var damaged: Set<OperationName> = []
  private(set) var findings: [FileFinding] = []
  /// Folders of writers that could not be listed.
  var unlistedWriters: Set<String> = []
  /// Whether no folder could be listed.
  var isUnlisted = false

  /// Operations whose file is there and was not read.
  var unread: OperationNames { OperationNames(unsynchronised.union(damaged)) }

  /// Notes a file that gave nothing; of a placeholder, only that the file it
  /// stands for is awaited.
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

  /// Notes a file that holds an operation in another spelling than a writer's.
  mutating func report(_ location: LogFile, spelling file: OperationFile) {
    if !file.isRespelled { return }
    findings.report(
      FileFinding(
        file: location.path, recordID: nil, state: .foreign, reason: Self.respelledReason))
  }

  /// What is said of a file that somebody spelled in another way; nothing is lost by it.
  static let respelledReason =
    "holds an operation as no writer spells it: a copy that another program made; it changes nothing"

  /// Files that were listed and are too many to be read.
  mutating func report(surplus: Int) {
    if surplus == 0 { return }
    findings.report(
      FileFinding(
        file: "\(FolderLayout.ownFolder)/\(FolderLayout.logFolder)", recordID: nil,
        state: .unreadable, reason: "\(surplus) files too many to look at"))
  }
}
