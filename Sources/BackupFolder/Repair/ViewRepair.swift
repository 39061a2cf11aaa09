// This folder is for the repairs of a writing run, whatever the cause. It repairs CSPP files and
// files of key slots that differ from the log, and the remains of a crash. It writes the contents of
// the log and decides nothing: changes are made in Wallets, KeySlotChanges and Rotation.

internal import CSPP
internal import SecretMemory

extension OpenNamespace {
  /// Completes what a crash left unfinished: missing and outdated CSPP files, left-over temporary
  /// files, and files of key slots that only the log holds.
  ///
  /// Contents of files that only an earlier namespace has are copied here.
  ///
  /// - Throws: system errors; ``BackupFolderError/busy(path:)``.
  public mutating func repair() throws(BackupFolderError) {
    let run = try beginRun()
    try followSilentWallets(run: run)
    _ = try repair(run: run)
    try repairCarriedObjects(run: run)
    if let problem = view.problem { throw problem }
  }

  /// Updates the view from the log, or sets ``viewProblem`` to the reason why it cannot.
  ///
  /// - Parameters:
  ///   - run: this writing run.
  ///   - records: wallets on which a person decides: what is shown of them stays.
  /// - Returns: the files of other programs, which stay as they are.
  /// - Throws: system errors.
  mutating func repair(
    run: borrowing WritingRun, deciding records: Set<RecordID> = []
  ) throws(BackupFolderError) -> [ViewSurvey.Foreign] {
    let survey = try survey(run: run, deciding: records)
    view.problem = nil
    do {
      for file in survey.leftOver { try folder(of: file)?.unlink(file.name) }
      try namespace.removeStaleTemporaryFiles(
        tag: run.tag, areInLogs: log.hasTemporaryFiles,
        logged: LoggedKeySlots(
          files: log.keyFiles.values + [log.envelope?.file].compactMap(\.self),
          removed: log.removedKeys))
      try settleLogFiles(run: run)
      try repairKeySlotFiles(run: run)
      try writeMissing(survey, run: run)
      try removeStale(survey, run: run)
      try copyCarriedObjects(run: run)
      try settleObjects(run: run)
    } catch {
      // One file that a sync client holds must not keep wallets from being logged.
      view.problem = error
    }
    return survey.foreign
  }

  private func folder(of file: ViewFile) throws(BackupFolderError) -> Directory? {
    file.isOlderPlace ? namespace.directory : try namespace.walletFolder()
  }

  /// Writes the file of every live record whose own file has no live version.
  private mutating func writeMissing(
    _ survey: ViewSurvey, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    // A record's own file from another program stays until the record is written.
    let taken = survey.foreign.filter { !$0.file.isOlderPlace && $0.file.named == $0.record }
      .map(\.record)
    let keep = survey.untouchable.union(taken)
    let index = log.index
    let places = index.records.indices.compactMap { number in
      survey.current[number] || keep.contains(index.records[number])
        ? nil : index.live(number: number).first
    }
    if places.isEmpty { return }
    let folder = try namespace.directory.makeSubdirectory(FolderLayout.walletFolder)
    var stager = ViewStager(in: folder, tag: run.tag, time: namespace.settings.clock())
    let logged = log
    // A `put` that cannot be read again is reported by the next reading run.
    _ = try logged.forEachPut(
      places, in: namespace, masterKey: masterKey
    ) { (_, bytes) throws(BackupFolderError) in
      try stager.stage(bytes, reader: &view.reader)
    }
    try stager.settle(reader: &view.reader)
    try place(stager.settled)
  }

  /// Removes superseded files: those of removed records, and conflict copies of replaced versions.
  ///
  /// Also removes duplicates of a record's only version, which its own file now holds.
  private mutating func removeStale(
    _ survey: ViewSurvey, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    var buffer = FileBuffer()
    let limit = namespace.settings.limits.record
    var changed: [String: Directory] = [:]
    var superfluous = survey.stale
    for (file, record) in survey.copies + survey.damagedCopies
    where !log.index.isConflicted(record) {
      if try ownFileIsLive(record) { superfluous.append((file, record)) }
    }
    for (file, record) in superfluous {
      let isOwnFile = !file.isOlderPlace && file.named == record
      // A live record's own file has just been replaced.
      if isOwnFile, !log.index.live(record).isEmpty { continue }
      guard let folder = try folder(of: file) else { continue }
      let isGone = try folder.remove(file.name, tag: run.tag, buffer: &buffer, limit: limit) {
        bytes in
        switch view.reader.open(bytes: bytes) {
        case .opened(let entry, let value):
          return log.index.standing(of: value, record: entry.recordID) != .unknown
        case .failed(let failure):
          return file.claimed == nil && failure.mayBeReplaced && failure.state == .unreadable
        case .absent: return false
        }
      }
      if isGone { view.removed.append(file.path) }
      changed[folder.path] = folder
    }
    for folder in changed.values { try folder.sync() }
  }

  /// Whether a record's own file holds a live version at this moment.
  private mutating func ownFileIsLive(_ record: RecordID) throws(BackupFolderError) -> Bool {
    guard let folder = try namespace.walletFolder(),
      case .opened(let entry, let value) = view.reader.open(
        FolderLayout.walletFile(record), in: folder),
      entry.recordID == record,
      case .live = log.index.standing(of: value, record: record)
    else { return false }
    return true
  }
}
