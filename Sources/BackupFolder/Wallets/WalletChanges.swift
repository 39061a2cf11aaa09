// This folder is for changes in an open namespace: adding and removing wallets, resolving
// conflicts, private texts. Rotation uses ConcurrentPuts from here. A change is logged first, and
// only then written to the view. Wallet formats are not known here: an entry is bytes with a record
// ID.

public import CSPP
internal import SecretMemory

extension OpenNamespace {
  /// Adds wallets or new versions of wallets, durably, all or none.
  ///
  /// Every staged file is on the disk and checked before the operation that makes it count gets its
  /// name. A batch beyond ``BackupFolder/Settings/operationSize`` becomes several operations, each
  /// all or none.
  ///
  /// - Parameters:
  ///   - batch: the wallets.
  ///   - skippingKnown: whether to skip wallets whose only version has the same content, so that an
  ///     import can be repeated.
  /// - Returns: how many were added and how many skipped.
  /// - Throws: ``BackupFolderError/diskFull(path:)``, ``BackupFolderError/busy(path:)`` and other
  ///   system errors. ``lastAdded`` then tells what was added before, which is nothing unless there
  ///   were several operations. After success, see ``viewProblem`` for work that may be left.
  @discardableResult
  public mutating func add(
    _ batch: borrowing WalletBatch, skippingKnown: Bool = false
  ) throws(BackupFolderError) -> Added {
    lastAdded = Added()
    if batch.count == 0 { return lastAdded }
    let largest = batch.items.map(\.range.count).max() ?? 0
    let limits = namespace.settings.limits
    guard largest / 3 * 4 + 2048 <= limits.record,
      OperationBuilder.fileSize(ofEntry: largest) + 64 * 1024 <= limits.operation
    else { throw .tooLarge(path: FolderLayout.walletFolder, limit: limits.record) }
    let run = try beginRun()
    try logSilent(run: run)
    let foreign = try repair(run: run)
    let seen = Set(batch.records).subtracting(decision?.absent ?? [])
    try logForeign(foreign, of: seen, run: run)
    try logLate(of: Set(batch.records), silent: .counting, run: run)
    try logUnreachable(of: Set(batch.records), run: run)
    let settlesConflict = batch.records.contains { log.index.isConflicted($0) }
    var places: [Int] = []
    for place in 0..<batch.count {
      if skippingKnown, try isKnown(batch, place) {
        lastAdded.known += 1
      } else {
        places.append(place)
      }
    }
    let written = Set(places.map { batch.records[$0] })
    try logSilent(proposalsOf: written, run: run)
    try logLate(
      of: written.intersection(earlierSilentRecords()), silent: .proposals, run: run)
    while lastAdded.count < places.count {
      try addOperation(batch, places[lastAdded.count...], run: run)
    }
    // Conflict copies that this decision supersedes can be removed only now.
    if settlesConflict, view.problem == nil {
      do { _ = try repair(run: run) } catch { view.problem = error }
    }
    return lastAdded
  }

  /// The result of adding a batch.
  public struct Added: Equatable, Sendable {
    /// The number of wallets that were added: the first ones of the batch.
    public internal(set) var count = 0
    /// The number of wallets that already had the same content.
    public internal(set) var known = 0
  }

  /// Whether an entry differs from its wallet's only version only in the mark of the operation that
  /// sealed it.
  private mutating func isKnown(
    _ batch: borrowing WalletBatch, _ index: Int
  ) throws(BackupFolderError) -> Bool {
    let record = batch.items[index].record
    let live = log.index.live(record)
    guard live.count == 1, let folder = try namespace.walletFolder(),
      case .opened(let entry, let value) = view.reader.open(
        FolderLayout.walletFile(record), in: folder),
      entry.recordID == record, log.index.versions.value(live[0]) == value, let mark = entry.mark
    else { return false }
    return try marked(batch, index, mark).withBytes { Digest(of: $0) } == value
  }

  /// Adds as many wallets as fit into one operation, and counts them.
  private mutating func addOperation(
    _ batch: borrowing WalletBatch, _ places: ArraySlice<Int>, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    let settings = namespace.settings
    let header = try nextHeader()
    let mark = WalletEntry.Mark(writerID: header.writerID, counter: header.counter)
    let folder = try namespace.directory.makeSubdirectory(FolderLayout.walletFolder)
    var stager = ViewStager(in: folder, tag: run.tag, time: settings.clock())
    let seen = log.index.tips()
    let seenSealed = fileState.sealed.pieces()
    let empty = OperationBuilder(
      at: settings.clock(), writerLabel: settings.writerLabel, seen: seen, seenSealed: seenSealed)
    let (fitting, fileSize) = fitting(batch, places, fileSize: empty.fileSize)
    var operation = OperationBuilder(
      at: settings.clock(), writerLabel: settings.writerLabel, seen: seen, seenSealed: seenSealed,
      size: fileSize)
    var versions: [(RecordID, Digest?)] = []
    versions.reserveCapacity(fitting.count)
    for index in fitting {
      let entry = try marked(batch, index, mark)
      operation.put(batch.items[index].record, entry: entry)
      versions.append((batch.items[index].record, entry.withBytes { Digest(of: $0) }))
      try stager.stage(entry, reader: &view.reader)
    }
    try stager.settle(reader: &view.reader)
    var staged = try stage(operation, header, seen: seen, versions: versions, run: run)
    staged.marksEntries = true
    try publish(staged, run: run)
    lastAdded.count += fitting.count
    do {
      try place(stager.settled)
    } catch {
      // The log holds the wallets: reporting a failure would make the user add them again.
      view.problem = error
    }
  }

  /// The wallets that fit into one operation, at least one.
  ///
  /// - Parameters:
  ///   - batch: the wallets.
  ///   - places: the wallets that are left to add.
  ///   - fileSize: the size of the operation's file without wallets, in bytes.
  /// - Returns: the first of `places`; and the size of the operation's file, rounded up.
  private func fitting(
    _ batch: borrowing WalletBatch, _ places: ArraySlice<Int>, fileSize: Int
  ) -> (places: ArraySlice<Int>, fileSize: Int) {
    let settings = namespace.settings
    var (next, fileSize, size) = (places.startIndex, fileSize, 0)
    while next < places.endIndex {
      let bytes = batch.items[places[next]].range.count
      // The mark is added to the entry.
      let grown = fileSize + OperationBuilder.fileSize(ofEntry: bytes + 256)
      if next > places.startIndex,
        size + bytes > settings.operationSize || grown > settings.limits.operation
      {
        break
      }
      (next, fileSize, size) = (next + 1, grown, size + bytes)
    }
    return (places[..<next], fileSize)
  }

  private func marked(
    _ batch: borrowing WalletBatch, _ index: Int, _ mark: WalletEntry.Mark
  ) throws(BackupFolderError) -> SecretBytes {
    do {
      let entry = batch.withEntry(index) { SecretBytes(copying: $0) }
      return try WalletEntry.marking(entry, with: mark)
    } catch {
      throw .invalidEntry(error)
    }
  }

  /// Removes wallets: readers no longer see them, but their secrets stay in the log until the
  /// master key is rotated.
  ///
  /// A version whose operation has not arrived is removed too. It is logged as found, and an
  /// operation that covers this covers the late operation. What a retirement holds back is removed in
  /// the same way.
  ///
  /// - Parameter records: the wallets.
  /// - Throws: ``BackupFolderError/noSuchWallet(_:)``; ``BackupFolderError/incomplete(path:)``
  ///   where somebody's decision has arrived before its basis; both before anything is written.
  ///   Also system errors.
  public mutating func remove(_ records: [RecordID]) throws(BackupFolderError) {
    if records.isEmpty { return }
    let run = try beginRun()
    try logSilent(run: run)
    let foreign = try repair(run: run, deciding: Set(records))
    let elsewhere = Set(foreign.map(\.record))
      .union(try lateRecords(among: records, silent: .all))
      .union(silentWallets().map(\.record))
    for record in records where log.index.live(record).isEmpty && !elsewhere.contains(record) {
      throw .noSuchWallet(record)
    }
    try requireReachable(records)
    try logSilent(proposalsOf: Set(records), heldBackOf: Set(records), run: run)
    try logForeign(foreign, of: Set(records), run: run)
    try logLate(of: Set(records), silent: .all, run: run)
    try logUnreachable(of: Set(records), run: run)
    let unique = Set(records).sorted()
    let staged = try stage(versions: unique.map { ($0, nil) }, run: run) { operation in
      for record in unique { operation.remove(record) }
    }
    try publish(staged, run: run)
    try requireEnded(unique)
    _ = try repair(run: run)
  }

  /// Throws if wallets count in spite of their removal: nobody is told of a removal that did nothing.
  private func requireEnded(_ records: [RecordID]) throws(BackupFolderError) {
    for record in records where !log.index.live(record).isEmpty {
      throw .incomplete(path: "\(FolderLayout.ownFolder)/\(FolderLayout.logFolder)")
    }
  }

  /// Logs other programs' versions of some records before those records are written, so that
  /// nothing is ever displaced unlogged.
  ///
  /// `seen` is empty, so these versions supersede nothing.
  mutating func logForeign(
    _ foreign: [ViewSurvey.Foreign], of records: Set<RecordID>, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    let settings = namespace.settings
    var operation = OperationBuilder(
      at: settings.clock(), writerLabel: settings.writerLabel, seen: [])
    var versions: [(RecordID, Digest?)] = []
    var logged: Set<Digest> = []
    for found in foreign where records.contains(found.record) {
      let folder = found.file.isOlderPlace ? namespace.directory : try namespace.walletFolder()
      guard let folder,
        case .opened(let entry, let value) = view.reader.open(found.file.name, in: folder),
        entry.recordID == found.record, logged.insert(value).inserted,
        log.index.standing(of: value, record: found.record) == .unknown
      else { continue }
      let grown =
        operation.fileSize + OperationBuilder.fileSize(ofEntry: view.reader.plaintext.count)
      if !versions.isEmpty, grown > settings.limits.operation {
        let full = operation
        operation = OperationBuilder(
          at: settings.clock(), writerLabel: settings.writerLabel, seen: [])
        let staged = try stage(full, nextHeader(), seen: [], versions: versions, run: run)
        try publish(staged, run: run)
        versions = []
      }
      operation.put(found.record, entry: view.reader.plaintext)
      versions.append((found.record, value))
    }
    if versions.isEmpty { return }
    let staged = try stage(operation, nextHeader(), seen: [], versions: versions, run: run)
    try publish(staged, run: run)
  }
}
