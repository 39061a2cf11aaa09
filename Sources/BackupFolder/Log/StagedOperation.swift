internal import CSPP

/// An operation that is on the disk and checked, but has no name yet.
struct StagedOperation {
  let header: OperationHeader
  /// The reference by which later operations name it.
  let reference: Operation.Seen
  let fileName: String
  let seen: [Operation.Seen]
  /// The records that its first changes affect, with their new digests.
  let versions: [(RecordID, Digest?)]
  /// The computers that it retires.
  var retired: [WriterID] = []
  /// Whether it names other namespaces.
  var hasLinks = false
  /// Whether the marks of the entries in its `put`s name it.
  var marksEntries = false
  /// The pieces of sealed chains that it has taken into account.
  var seenSealed: [Operation.SealedPiece] = []
  /// All of its changes if some are of files or silent writers.
  var fileChanges: [Operation.Change] = []
  /// The time of the operation, in Unix seconds.
  let at: UInt64
  let writerLabel: String
  let file: AtomicFile
  let folder: Directory
}
