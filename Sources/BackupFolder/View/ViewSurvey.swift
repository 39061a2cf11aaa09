internal import CSPP

/// Where the view differs from the log: what a writing run has to know.
struct ViewSurvey {
  /// A file that another program wrote, or whose operation is not here.
  struct Foreign {
    let file: ViewFile
    let record: RecordID
    let value: Digest
  }

  /// For each of the log's records, whether its own file, in the current place,
  /// holds a live version.
  var current: [Bool]
  /// Files that hold only what was superseded.
  var stale: [(file: ViewFile, record: RecordID)] = []
  /// Further files of a live version, such as the conflict copy that was kept.
  var copies: [(file: ViewFile, record: RecordID)] = []
  /// Files with bytes that no `put` has.
  var foreign: [Foreign] = []
  /// Records whose own file must stay as it is, though it does not open.
  var untouchable: Set<RecordID> = []
  /// Temporary files of this computer that a crash left, and that hold nothing
  /// that is not in the log.
  var leftOver: [ViewFile] = []
  var foreignValues: Set<Digest> = []
  /// Files that one run removes; the next one goes on.
  static let limit = 1 << 14

  init(current: [Bool]) { self.current = current }
}
