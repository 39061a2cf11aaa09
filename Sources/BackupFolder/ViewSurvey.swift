internal import CSPP

/// Where the view differs from the log: what a writing run has to know.
struct ViewSurvey {
  /// A file that another program wrote, or whose operation is not here.
  struct Foreign {
    let file: ViewFile
    let record: RecordID
    let value: Digest
  }

  /// Records whose own file, in the current place, holds a live version.
  var current: Set<RecordID> = []
  /// Files that hold only what was superseded.
  var stale: [(file: ViewFile, record: RecordID)] = []
  /// Files with bytes that no `put` has.
  var foreign: [Foreign] = []
  /// Records whose own file must stay as it is, though it does not open.
  var untouchable: Set<RecordID> = []
  /// Temporary files of this computer that a crash left, and that hold nothing
  /// that is not in the log.
  var leftOver: [ViewFile] = []
}

extension OpenNamespace {
  /// Opens every view file and compares it with the log.
  mutating func survey(run: borrowing WritingRun) throws(BackupFolderError) -> ViewSurvey {
    var survey = ViewSurvey()
    let current = try namespace.walletFolder()
    var files = try namespace.viewFiles()
    while let file = try files.nextFile() {
      guard let folder = file.isOlderPlace ? namespace.directory : current else { continue }
      let isOwnTemporary = file.name.hasPrefix("\(AtomicFile.temporaryPrefix)\(run.tag)-")
      switch reader.open(file.name, in: folder) {
      case .absent: continue
      case .failed(let failure):
        if isOwnTemporary {
          // It may hold what an interrupted exchange displaced: a newer
          // program's bytes, the only ones there are.
          if failure.mayBeReplaced { survey.leftOver.append(file) }
        } else if !file.isOlderPlace, !failure.mayBeReplaced, let record = file.claimed {
          survey.untouchable.insert(record)
        }
      case .opened(let entry, let value):
        let standing = log.index.standing(of: value, record: entry.recordID)
        if isOwnTemporary, standing != .unknown || isUnpublished(entry.mark) {
          survey.leftOver.append(file)
        } else {
          survey.note(file, entry.recordID, value, standing)
        }
      }
    }
    return survey
  }

  /// Whether a mark is of an operation that this computer staged and never
  /// published.
  private func isUnpublished(_ mark: WalletEntry.Mark?) -> Bool {
    guard let mark else { return false }
    let isPublished = log.index.contains(mark.writerID, mark.counter)
    let isRemembered = memory.operations.contains(mark.writerID, mark.counter)
    return !isPublished && !isRemembered
  }
}

extension ViewSurvey {
  fileprivate mutating func note(
    _ file: ViewFile, _ record: RecordID, _ value: Digest, _ standing: LogIndex.Standing
  ) {
    switch standing {
    case .live:
      if !file.isOlderPlace, file.named == record { current.insert(record) }
    case .superseded: stale.append((file, record))
    case .unknown: foreign.append(Foreign(file: file, record: record, value: value))
    }
  }
}
