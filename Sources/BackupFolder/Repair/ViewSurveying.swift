internal import CSPP

extension OpenNamespace {
  /// Compares every view file with the log.
  ///
  /// Opens the files that may have changed since they were last opened.
  mutating func survey(run: borrowing WritingRun) throws(BackupFolderError) -> ViewSurvey {
    var survey = ViewSurvey(
      current: [Bool](repeating: false, count: log.index.records.count))
    let current = try namespace.walletFolder()
    loadStamps(of: current, run: run)
    let time = FileStamp.now()
    var entries: [ViewStamps.Entry] = []
    var files = try namespace.viewFiles()
    while let file = try files.nextFile() {
      guard let folder = file.isOlderPlace ? namespace.directory : current else { continue }
      let own = file.isOlderPlace ? nil : file.named
      if let own, view.stamps != nil, let stamp = folder.stamp(ofWallet: own),
        let value = view.stamps?.value(of: own, stamp)
      {
        entries.append(ViewStamps.Entry(record: own, value: value, stamp: stamp))
        survey.classify(file, own, value, log.index)
        continue
      }
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
        }
      case .opened(let entry, let value):
        if own == entry.recordID, let stamp = view.reader.stamp, stamp.isSettled(at: time) {
          entries.append(ViewStamps.Entry(record: entry.recordID, value: value, stamp: stamp))
        }
        let standing = log.index.standing(of: value, record: entry.recordID)
        if isOwnTemporary, standing != .unknown || isUnpublished(entry) {
          survey.classify(leftOver: file)
        } else {
          survey.classify(file, entry.recordID, value, log.index)
        }
      }
    }
    view.stamps?.replace(with: entries)
    return survey
  }

  /// Takes over the stamps of an earlier run if the folder is the same.
  private mutating func loadStamps(of folder: Directory?, run: borrowing WritingRun) {
    let device = folder?.stampingDevice
    if view.stamps == nil, device != nil {
      view.stamps = NamespaceCache.load(id, from: run.state, masterKey: masterKey).view
    }
    if view.stamps?.device != device { view.stamps = device.map { ViewStamps(device: $0) } }
  }

  /// Whether an entry's mark names an operation that this computer staged and never published.
  ///
  /// If the computer was cloned, the clone may have published an operation with the same number,
  /// which does not contain this wallet.
  private func isUnpublished(_ entry: WalletEntry) -> Bool {
    guard let mark = entry.mark else { return false }
    let isPublished = log.index.history(of: entry.recordID).contains { place in
      let reference = log.index.nodes[Int(log.index.versions[place].node)].reference
      return reference.writerID == mark.writerID && reference.counter == mark.counter
    }
    let isRemembered = localState.operations.contains(mark.writerID, mark.counter)
    if isPublished { return false }
    return !isRemembered || log.index.contains(mark.writerID, mark.counter)
  }
}

extension ViewSurvey {
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
