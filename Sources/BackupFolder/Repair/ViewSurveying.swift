internal import CSPP

extension OpenNamespace {
  /// Opens every view file and compares it with the log.
  ///
  /// - Parameters:
  ///   - run: this writing run.
  ///   - records: wallets on which a person decides. What is shown of them is not left over.
  /// - Returns: the comparison.
  /// - Throws: system errors.
  mutating func survey(
    run: borrowing WritingRun, deciding records: Set<RecordID> = []
  ) throws(BackupFolderError) -> ViewSurvey {
    var survey = ViewSurvey(
      current: [Bool](repeating: false, count: log.index.records.count))
    let current = try namespace.walletFolder()
    var files = try namespace.viewFiles()
    while let file = try files.nextFile() {
      guard let folder = file.isOlderPlace ? namespace.directory : current else { continue }
      let isOwnTemporary = file.name.hasPrefix("\(AtomicFile.temporaryPrefix)\(run.tag)-")
      switch view.reader.open(file.name, in: folder) {
      case .absent: continue
      case .failed(let failure):
        if isOwnTemporary {
          // It may hold bytes of a newer program that an interrupted exchange displaced: the only
          // copy.
          if failure.mayBeReplaced { survey.classify(leftOver: file) }
        } else if !file.isOlderPlace, !failure.mayBeReplaced, let record = file.claimed {
          survey.untouchable.insert(record)
        } else {
          // One that is empty or cut off may still arrive, with another program's version.
          survey.classify(damaged: file, failure)
        }
      case .opened(let entry, let value):
        let standing = log.index.standing(of: value, record: entry.recordID)
        let isDecided = records.contains(entry.recordID)
        // A file that was moved aside may be another computer's, whose operation has not arrived.
        let isLeft =
          standing != .unknown
          || AtomicFile.isStaged(file.name) && isUnpublished(entry, isDecided: isDecided)
        if isOwnTemporary, isLeft {
          survey.classify(leftOver: file)
        } else {
          survey.classify(file, entry.recordID, value, log.index)
        }
      }
    }
    return survey
  }

  /// Whether an entry's mark names an operation that this computer staged and never published.
  ///
  /// If the computer was cloned, the clone may have published an operation with the same number,
  /// which does not contain this wallet. Reading shows it then, so a person's decision is about it.
  private func isUnpublished(_ entry: WalletEntry, isDecided: Bool) -> Bool {
    guard let mark = entry.mark else { return false }
    let isPublished = log.index.history(of: entry.recordID).contains { place in
      let reference = log.index.nodes[Int(log.index.versions[place].node)].reference
      return reference.writerID == mark.writerID && reference.counter == mark.counter
    }
    if isPublished { return false }
    if log.index.contains(mark.writerID, mark.counter) { return !isDecided }
    return !localState.operations.contains(mark.writerID, mark.counter)
  }
}

extension ViewSurvey {
  fileprivate mutating func classify(damaged file: ViewFile, _ failure: WalletReader.Failure) {
    guard failure.mayBeReplaced, failure.state == .unreadable, file.claimed == nil,
      let record = file.copied, damagedCopies.count < Self.limit
    else { return }
    damagedCopies.append((file, record))
  }

  fileprivate mutating func classify(leftOver file: ViewFile) {
    if leftOver.count < Self.limit { leftOver.append(file) }
  }

  fileprivate mutating func classify(
    _ file: ViewFile, _ record: RecordID, _ value: Digest, _ index: LogIndex
  ) {
    switch index.standing(of: value, record: record) {
    case .live(let place):
      if file.isOlderPlace { break }
      if file.named == record {
        current[index.versions.record(place)] = true
      } else if file.named == nil, copies.count < Self.limit {
        copies.append((file, record))
      }
    case .superseded:
      if stale.count < Self.limit { stale.append((file, record)) }
    case .unknown:
      // One file per version is enough, besides the record's own file.
      let isNew = foreignValues.insert(value).inserted
      if isNew || file.named == record {
        foreign.append(Foreign(file: file, record: record, value: value))
      }
    }
  }
}
