internal import CSPP

/// The problems of the files of a log, or of silent writers.
///
/// The number kept of each kind is limited, so that a crafted folder costs no more than a log.
/// Further ones only affect counts.
struct LogProblems {
  private static let limit = 1 << 16

  /// A file that is not, as a whole, the operation of its name.
  private struct Unusable {
    let file: LogFile
    /// The operation that the name claims.
    let operation: OperationName
    /// The operation in it; nil if it gave none.
    var held: Digest?
    let finding: FileFinding
    /// The reason where another file has the operation.
    let reasonBeside: String
  }

  /// The folder of all writers, relative to the namespace folder.
  let folder: String
  /// Operations whose file is here but empty, a placeholder or cut off, by the file's name.
  private(set) var unsynchronised: Set<OperationName> = []
  /// Operations whose file is here but does not hold them, by the file's name.
  private(set) var damaged: Set<OperationName> = []
  private(set) var findings: [FileFinding] = []
  /// Files that are of no use, while another file has the operation of their name: a writing run settles
  /// them.
  private(set) var superfluous: [(file: LogFile, operation: OperationName)] = []
  private var unusable: [Unusable] = []
  /// Folders of writers that could not be listed.
  var unlistedWriters: Set<String> = []
  /// Whether no folder could be listed.
  var isUnlisted = false

  init(of folder: String = Self.path) { self.folder = folder }

  /// Whether there is anything to ``judge(isHere:isElsewhere:)``.
  var hasUnusable: Bool { !unusable.isEmpty }

  /// Operations whose file is here and was not read.
  var unread: OperationNames { OperationNames(unsynchronised.union(damaged)) }

  /// Notes a file that could not be used, for ``judge(isHere:isElsewhere:)``.
  ///
  /// A file that no operation can have as a name is another program's. A placeholder only stands for the
  /// file that is awaited.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - files: the folder's files.
  ///   - state: its state, unless another file has its operation.
  ///   - reason: the reason why it could not be used.
  ///   - reasonBeside: the reason where another file has its operation.
  ///   - isForbidden: whether only permissions keep it from being read.
  mutating func note(
    _ file: LogFile, in files: inout LogFiles, state: WalletState, reason: String,
    beside reasonBeside: String? = nil, isForbidden: Bool = false
  ) {
    guard let operation = file.copied else { return }
    var found = finding(file, state, reason)
    found.isForbidden = isForbidden
    if case .other(let folder, let name) = file, let awaited = SyncPlaceholder.awaited(name) {
      if files.holds(awaited, of: folder) { return }
      found = finding(file, .incomplete, SyncPlaceholder.reason)
    }
    note(
      Unusable(
        file: file, operation: operation, finding: found,
        reasonBeside: reasonBeside ?? "\(found.reason); another file has this operation"))
  }

  /// Notes a file that could not be read.
  mutating func note(_ file: LogFile, in files: inout LogFiles, _ problem: FileProblem) {
    // A file that is listed and missing is about to arrive or about to be replaced: nobody deletes
    // from a log.
    note(
      file, in: &files, state: problem == .absent ? .incomplete : problem.state,
      reason: problem.words, isForbidden: problem.isForbidden)
  }

  /// Notes a file that holds another operation than its name says, or nothing, if `held` is nil.
  mutating func note(misnamed file: LogFile, _ claimed: OperationName, held: Digest?) {
    let reason = OperationLog.misnamedReason
    note(
      Unusable(
        file: file, operation: claimed, held: held, finding: finding(file, .unreadable, reason),
        reasonBeside: "\(reason); another file has this operation"))
  }

  private mutating func note(_ file: Unusable) {
    if unusable.count < Self.limit { unusable.append(file) } else { report(file) }
  }

  /// Judges the noted files, once all others were read.
  ///
  /// Beside another file that has its operation, such a file changes nothing.
  ///
  /// - Parameters:
  ///   - isHere: whether an operation is here.
  ///   - isElsewhere: whether a file other than this one has an operation.
  mutating func judge(
    isHere: (OperationName) -> Bool, isElsewhere: (Digest, LogFile) -> Bool = { _, _ in false }
  ) {
    for found in unusable {
      guard isHere(found.operation), found.held.map({ isElsewhere($0, found.file) }) ?? true else {
        report(found)
        continue
      }
      superfluous.append((found.file, found.operation))
      findings.report(finding(found.file, .foreign, found.reasonBeside))
    }
    unusable = []
  }

  private mutating func report(_ found: Unusable) {
    findings.report(found.finding)
    guard let name = found.file.claimedName else { return }
    if found.finding.state != .incomplete {
      if damaged.count < Self.limit { damaged.insert(name) }
    } else if unsynchronised.count < Self.limit {
      unsynchronised.insert(name)
    }
  }

  private func finding(_ file: LogFile, _ state: WalletState, _ reason: String) -> FileFinding {
    FileFinding(file: "\(folder)/\(file.path)", recordID: nil, state: state, reason: reason)
  }

  /// Reports a file.
  mutating func report(_ file: LogFile, _ state: WalletState, _ reason: String) {
    findings.report(finding(file, state, reason))
  }

  mutating func report(_ finding: FileFinding) {
    findings.report(finding)
  }

  /// Reports a file that holds an operation in another spelling than a writer's.
  mutating func report(_ location: LogFile, spelling file: OperationFile) {
    if file.isRespelled { report(location, .foreign, Self.respelledReason) }
  }

  /// The reason reported for a file in another spelling; nothing is lost by it.
  static let respelledReason =
    "holds an operation as no writer spells it: a copy that another program made; it changes nothing"

  /// Reports the number of listed files that are too many to be read.
  mutating func report(surplus: Int) {
    if surplus == 0 { return }
    findings.report(
      FileFinding(
        file: folder, recordID: nil, state: .unreadable,
        reason: "\(surplus == 1 ? "1 file" : "\(surplus) files") too many to look at"))
  }
}
