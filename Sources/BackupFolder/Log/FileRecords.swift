internal import CSPP

/// The files and silent writers in the ordinary operations.
///
/// Operations are named by their digests, because their places change when the log is sorted.
struct FileRecords {
  /// A `writer-add`.
  struct Authorisation {
    let writer: SilentWriter
    let operation: Operation.Seen
    /// The time by its writer's clock, in Unix seconds.
    let at: UInt64
  }

  /// A `writer-retire` with a signing key.
  struct Retirement {
    let key: SigningKey
    /// One of its writer IDs.
    let writerID: WriterID
    let operation: Operation.Seen
    /// The pieces of sealed chains that it knew.
    let pieces: [Operation.SealedPiece]
  }

  /// A change of a file's versions.
  struct Change {
    let operation: Operation.Seen
    /// The index among the operation's changes.
    let place: Int
    let at: UInt64
    /// Whether `seen` is empty, so that the operation only states that versions are there.
    let isFinding: Bool
    let change: FileChange
  }

  private(set) var authorisations: [Authorisation] = []
  private(set) var retirements: [Retirement] = []
  private(set) var changes: [Change] = []
  /// The pieces of sealed chains that operations have taken into account; others name none.
  private(set) var seenSealed: [Digest: [Operation.SealedPiece]] = [:]

  /// Whether the log has anything of files or silent writers.
  var isEmpty: Bool { authorisations.isEmpty && retirements.isEmpty && changes.isEmpty }

  /// Adds an operation.
  ///
  /// - Parameters:
  ///   - operation: the operation.
  ///   - reference: its name.
  mutating func include(_ operation: Operation, _ reference: Operation.Seen) {
    include(
      operation.changes, reference, at: operation.at, isFinding: operation.seen.isEmpty,
      seenSealed: operation.seenSealed)
  }

  /// Adds changes of an operation.
  ///
  /// - Parameters:
  ///   - list: all of its changes, in order.
  ///   - reference: its name.
  ///   - at: its time in Unix seconds.
  ///   - isFinding: whether its `seen` is empty.
  ///   - pieces: the pieces of sealed chains that it names.
  mutating func include(
    _ list: [Operation.Change], _ reference: Operation.Seen, at: UInt64, isFinding: Bool,
    seenSealed pieces: [Operation.SealedPiece]
  ) {
    if !pieces.isEmpty { seenSealed[reference.digest] = pieces }
    var files: Set<FileID> = []
    for (place, change) in list.enumerated() {
      switch change {
      case .writerAdd(let writer):
        authorisations.append(Authorisation(writer: writer, operation: reference, at: at))
      case .silentWriterRetire(let writer, let key):
        retirements.append(
          Retirement(key: key, writerID: writer, operation: reference, pieces: pieces))
      case .file(let change):
        // Of several versions of one file the first counts.
        if case .put(let put) = change, !files.insert(put.fileID).inserted { continue }
        changes.append(
          Change(
            operation: reference, place: place, at: at, isFinding: isFinding, change: change))
      default: break
      }
    }
  }
}
