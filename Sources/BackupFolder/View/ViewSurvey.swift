internal import CSPP

/// The differences between the view and the log, for a writing run.
struct ViewSurvey {
  /// A file that another program wrote, or whose operation is not here.
  struct Foreign {
    let file: ViewFile
    let record: RecordID
    let value: Digest
  }

  /// For each of the log's records, whether its own file in the current place holds a live version.
  var current: [Bool]
  /// Files that hold only superseded versions.
  var stale: [(file: ViewFile, record: RecordID)] = []
  /// Further files of a live version, such as the conflict copy that was kept.
  var copies: [(file: ViewFile, record: RecordID)] = []
  /// Copies of wallets' files that hold nothing.
  var damagedCopies: [(file: ViewFile, record: RecordID)] = []
  /// Files whose bytes no `put` has.
  var foreign: [Foreign] = []
  /// Records whose own file must stay as it is although it does not open.
  var untouchable: Set<RecordID> = []
  /// Temporary files of this computer that a crash left and whose contents are all in the log.
  var leftOver: [ViewFile] = []
  var foreignValues: Set<Digest> = []
  /// The most files that one run removes; the next run continues.
  static let limit = 1 << 14

  init(current: [Bool]) { self.current = current }
}
