internal import CSPP

/// An operation that is on the disk and checked, but has no name yet.
struct StagedOperation {
  let header: OperationHeader
  /// How later operations name it.
  let reference: Operation.Seen
  let fileName: String
  let seen: [Operation.Seen]
  /// What its first changes do to records.
  let versions: [(RecordID, Digest?)]
  /// Computers that it retires.
  var retired: [WriterID] = []
  /// Whether it names other namespaces.
  var hasLinks = false
  /// Whether the marks of the entries that it puts name it.
  var marksEntries = false
  /// Unix seconds.
  let at: UInt64
  let writerLabel: String
  let file: AtomicFile
  let folder: Directory
}
