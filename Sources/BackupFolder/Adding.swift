public import CSPP
internal import SecretMemory

extension OpenNamespace {
  /// Adds wallets or new versions of wallets, durably, all or none.
  ///
  /// Every staged file is on the disk and checked before the operation that
  /// makes them count gets its name. (A batch beyond
  /// ``BackupFolder/Settings/operationSize`` is several operations, each all
  /// or none.)
  ///
  /// - Parameter batch: the wallets.
  /// - Returns: the wallets' records, in order.
  /// - Throws: ``BackupFolderError/diskFull(path:)``,
  ///   ``BackupFolderError/busy(path:)`` and other system errors: then nothing
  ///   was added. See ``viewProblem`` for what may be left to do otherwise.
  @discardableResult
  public mutating func add(
    _ batch: borrowing WalletBatch
  ) throws(BackupFolderError) -> [RecordID] {
    if batch.count == 0 { return [] }
    let largest = batch.items.map(\.range.count).max() ?? 0
    let limits = namespace.settings.limits
    guard largest / 3 * 4 + 2048 <= limits.record,
      OperationBuilder.fileSize(ofEntry: largest) + 64 * 1024 <= limits.operation
    else { throw .tooLarge(path: FolderLayout.walletFolder, limit: limits.record) }
    let run = try WritingRun.begin(namespace.state(make: true))
    try refresh(run: run)
    let foreign = try heal(run: run)
    try logForeign(foreign, of: Set(batch.records), run: run)
    let settlesConflict = batch.records.contains { log.index.isConflicted($0) }
    var next = 0
    while next < batch.count {
      next = try addOperation(batch, from: next, run: run)
    }
    // The conflict copies of what this decides are superseded only now.
    if settlesConflict, viewProblem == nil {
      do { _ = try heal(run: run) } catch { viewProblem = error }
    }
    return batch.records
  }

  /// Adds as many wallets as one operation takes.
  ///
  /// - Returns: the first wallet of the next operation.
  private mutating func addOperation(
    _ batch: borrowing WalletBatch, from first: Int, run: borrowing WritingRun
  ) throws(BackupFolderError) -> Int {
    let settings = namespace.settings
    let header = try nextHeader()
    let mark = WalletEntry.Mark(writerID: header.writerID, counter: header.counter)
    let folder = try namespace.directory.makeSubdirectory(FolderLayout.walletFolder)
    var stager = ViewStager(in: folder, tag: run.tag, time: settings.clock())
    let seen = log.index.tips()
    let empty = OperationBuilder(
      at: settings.clock(), writerLabel: settings.writerLabel, seen: seen)
    let (next, fileSize) = fitting(batch, from: first, fileSize: empty.fileSize)
    var operation = OperationBuilder(
      at: settings.clock(), writerLabel: settings.writerLabel, seen: seen, size: fileSize)
    var versions: [(RecordID, Digest?)] = []
    versions.reserveCapacity(next - first)
    for index in first..<next {
      let entry = try marked(batch, index, mark)
      operation.put(batch.items[index].record, entry: entry)
      versions.append((batch.items[index].record, entry.withBytes { Digest(of: $0) }))
      try stager.stage(entry, reader: &reader)
    }
    try stager.settle(reader: &reader)
    let staged = try stage(operation, header, seen: seen, versions: versions, run: run)
    try publish(staged, run: run)
    do {
      try publish(stager.settled)
    } catch {
      // The log holds the wallets: calling this a failure would make a person
      // add them again.
      viewProblem = error
    }
    return next
  }

  /// How many wallets one operation takes, at least one.
  ///
  /// - Parameters:
  ///   - batch: the wallets.
  ///   - first: the first that the operation takes.
  ///   - fileSize: size of the operation's file without any.
  /// - Returns: the first wallet of the next operation; the size of this one's
  ///   file, rounded up.
  private func fitting(
    _ batch: borrowing WalletBatch, from first: Int, fileSize: Int
  ) -> (next: Int, fileSize: Int) {
    let settings = namespace.settings
    var (next, fileSize, size) = (first, fileSize, 0)
    while next < batch.count {
      let bytes = batch.items[next].range.count
      // The mark is added to it.
      let grown = fileSize + OperationBuilder.fileSize(ofEntry: bytes + 256)
      if next > first, size + bytes > settings.operationSize || grown > settings.limits.operation {
        break
      }
      (next, fileSize, size) = (next + 1, grown, size + bytes)
    }
    return (next, fileSize)
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

  /// Removes wallets: they are gone for readers, but their secrets stay in the
  /// log until the master key is rotated.
  ///
  /// - Parameter records: which.
  /// - Throws: ``BackupFolderError/noSuchWallet(_:)`` before anything is
  ///   written; system errors.
  public mutating func remove(_ records: [RecordID]) throws(BackupFolderError) {
    if records.isEmpty { return }
    let run = try WritingRun.begin(namespace.state(make: true))
    try refresh(run: run)
    let foreign = try heal(run: run)
    let elsewhere = Set(foreign.map(\.record))
    for record in records where log.index.live(record).isEmpty && !elsewhere.contains(record) {
      throw .noSuchWallet(record)
    }
    try logForeign(foreign, of: Set(records), run: run)
    let seen = log.index.tips()
    let unique = Set(records).sorted()
    var operation = OperationBuilder(
      at: namespace.settings.clock(), writerLabel: namespace.settings.writerLabel, seen: seen)
    for record in unique { operation.remove(record) }
    let staged = try stage(
      operation, nextHeader(), seen: seen, versions: unique.map { ($0, nil) }, run: run)
    try publish(staged, run: run)
    _ = try heal(run: run)
  }

  /// Logs what other programs wrote of some records before those are written:
  /// nothing is ever displaced unlogged.
  ///
  /// `seen` is empty: these versions supersede nothing.
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
        case .opened(let entry, let value) = reader.open(found.file.name, in: folder),
        entry.recordID == found.record, logged.insert(value).inserted,
        log.index.standing(of: value, record: found.record) == .unknown
      else { continue }
      let grown =
        operation.fileSize + OperationBuilder.fileSize(ofEntry: reader.plaintext.count)
      if !versions.isEmpty, grown > settings.limits.operation {
        let full = operation
        operation = OperationBuilder(
          at: settings.clock(), writerLabel: settings.writerLabel, seen: [])
        let staged = try stage(full, nextHeader(), seen: [], versions: versions, run: run)
        try publish(staged, run: run)
        versions = []
      }
      operation.put(found.record, entry: reader.plaintext)
      versions.append((found.record, value))
    }
    if versions.isEmpty { return }
    let staged = try stage(operation, nextHeader(), seen: [], versions: versions, run: run)
    try publish(staged, run: run)
  }
}
