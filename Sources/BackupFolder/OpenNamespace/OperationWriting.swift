internal import CSPP
internal import Glibc
internal import SecretMemory

extension OpenNamespace {
  /// Looks and then writes, with no other program of this computer in between.
  ///
  /// A caller that chooses what it writes by what is there does both in here. What another computer
  /// adds meanwhile stays beside what is written: nothing replaces what the caller has not seen.
  ///
  /// - Parameters:
  ///   - failure: the error for a folder that cannot be locked or read.
  ///   - body: looks and calls what writes. It waits for no person.
  /// - Returns: what `body` returns.
  /// - Throws: the errors of `body`; ``BackupFolderError/busy(path:)`` and system errors by `failure`.
  public mutating func deciding<Result: ~Copyable, Failure: Error>(
    _ failure: (BackupFolderError) -> Failure,
    _ body: (inout OpenNamespace) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if decision != nil { return try body(&self) }
    do throws(BackupFolderError) {
      let run = try beginRun()
      decision = Decision(lock: run.lock)
    } catch {
      throw failure(error)
    }
    defer { decision = nil }
    return try body(&self)
  }

  /// Takes the lock, and reads what other programs of this computer and the sync client have added.
  ///
  /// Within a decision that was done at its beginning.
  ///
  /// - Returns: the run, which keeps the lock.
  /// - Throws: as ``refresh(run:)``; ``BackupFolderError/busy(path:)``.
  mutating func beginRun() throws(BackupFolderError) -> WritingRun {
    let run = try WritingRun.begin(namespace.state(make: true), holding: decision?.lock)
    if decision == nil { try refresh(run: run) }
    return run
  }

  /// The header of the next operation: its writer and the operation before it.
  ///
  /// A new writer begins if this computer's writer was retired, or if its last operation is not the
  /// remembered one. That happens after a crash, on a cloned machine or in a rolled-back folder. So
  /// no counter is ever claimed twice.
  ///
  /// A new writer begins also if an earlier operation of this writer is missing: nothing can cover
  /// what stands behind a gap.
  func nextHeader() throws(BackupFolderError) -> OperationHeader {
    do {
      if let writer = localState.writer, !log.isRetired(writer) {
        let last = log.index.last(of: writer)
        let isWhole = last.map { log.index.isWhole($0.digest) } ?? true
        if last?.name == localState.lastOwn, isWhole {
          return try OperationHeader(
            namespaceID: id, writerID: writer, counter: (last?.counter ?? 0) + 1,
            previous: last?.digest)
        }
      }
      return try OperationHeader(
        namespaceID: id, writerID: .random(), counter: 1, previous: nil)
    } catch {
      throw .internalError("operation header: \(error)")
    }
  }

  /// The size in bytes from which changes go on in another operation.
  var fullOperation: Int {
    min(namespace.settings.operationSize, namespace.settings.limits.operation / 2)
  }

  /// Seals an operation and puts it on the disk without publishing it.
  ///
  /// - Parameters:
  ///   - builder: holds the changes.
  ///   - header: from ``nextHeader()``.
  ///   - seen: the operations it may supersede, as given to the builder.
  ///   - versions: the records that its first changes affect, for the index.
  ///   - run: this writing run.
  /// - Returns: the operation, to be passed to ``publish(_:run:)``.
  /// - Throws: ``BackupFolderError/tooLarge(path:limit:)``; system errors.
  func stage(
    _ builder: consuming OperationBuilder, _ header: OperationHeader, seen: [Operation.Seen],
    versions: [(RecordID, Digest?)], run: borrowing WritingRun
  ) throws(BackupFolderError) -> StagedOperation {
    let folder = try namespace.makeLogFolder(of: header.writerID)
    // Below a folder that has this computer's last operation, everything is durable.
    if localState.lastOwn?.writer != header.writerID { try namespace.syncFolders() }
    var staged: StagedOperation
    do {
      let sealed = try seal(builder, header)
      let file = try sealed.file.withBytes { (bytes) throws(BackupFolderError) in
        try AtomicFile(staging: bytes, in: folder, tag: run.tag)
      }
      staged = StagedOperation(
        header: header, reference: sealed.seen, fileName: sealed.fileName, seen: seen,
        versions: versions, at: namespace.settings.clock(),
        writerLabel: namespace.settings.writerLabel, file: file, folder: folder)
      // The sealed bytes are released here: the file is read back instead.
    }
    let operation = try settle(staged)
    staged.seenSealed = operation.seenSealed
    if operation.changes.contains(where: \.isOfFiles) { staged.fileChanges = operation.changes }
    return staged
  }

  /// Stages an operation that has seen all others.
  ///
  /// - Parameters:
  ///   - time: Unix seconds; nil for now.
  ///   - header: from ``nextHeader()``; nil for the next one.
  ///   - versions: the records that its first changes affect, for the index.
  ///   - run: this writing run.
  ///   - changes: adds the changes.
  /// - Returns: the operation, to be passed to ``publish(_:run:)``.
  /// - Throws: as ``stage(_:_:seen:versions:run:)``.
  func stage(
    at time: UInt64? = nil, _ header: OperationHeader? = nil,
    versions: [(RecordID, Digest?)] = [], run: borrowing WritingRun,
    _ changes: (inout OperationBuilder) -> Void
  ) throws(BackupFolderError) -> StagedOperation {
    let settings = namespace.settings
    let seen = log.index.tips()
    var operation = OperationBuilder(
      at: time ?? settings.clock(), writerLabel: settings.writerLabel, seen: seen,
      seenSealed: sealedPieces)
    changes(&operation)
    let next = if let header { header } else { try nextHeader() }
    return try stage(operation, next, seen: seen, versions: versions, run: run)
  }

  private func seal(
    _ builder: consuming OperationBuilder, _ header: OperationHeader
  ) throws(BackupFolderError) -> SealedOperation {
    do {
      return try builder.seal(
        header: header, masterKey: masterKey, limit: namespace.settings.limits.operation)
    } catch .tooLarge(let limit) {
      throw .tooLarge(path: FolderLayout.logFolder, limit: limit)
    } catch {
      throw .internalError("sealing an operation: \(error)")
    }
  }

  /// Waits until a staged operation is on the disk and opens it again.
  private func settle(_ staged: StagedOperation) throws(BackupFolderError) -> Operation {
    var buffer = FileBuffer()
    let limit = namespace.settings.limits.operation
    var back: OperationFile?
    try staged.file.settle(buffer: &buffer) { bytes in
      back = try? OperationFile(parsing: bytes, at: id, limit: limit)
      return back?.digest == staged.reference.digest
    }
    guard let operation = try? back?.open(inPlace: &buffer.bytes, masterKey: masterKey) else {
      throw .io(errno: EIO, path: staged.folder.path)
    }
    return operation
  }

  /// Gives a staged operation its name; from here on it counts.
  ///
  /// This computer remembers the name before the operation has it. If it is killed between the two,
  /// the next run only needs a new writer ID. The other way round, the folder could be set back
  /// after the kill, and the counter claimed again. Once the first operation comes back, the two are
  /// a fork.
  mutating func publish(
    _ staged: StagedOperation, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    localState.writer = staged.header.writerID
    localState.lastOwn = staged.reference.name
    try run.state.save(localState, of: id)
    guard try staged.file.place(new: staged.fileName) else {
      throw .busy(path: "\(staged.folder.path)/\(staged.fileName)")
    }
    try staged.folder.sync()
    log.append(staged)
    localState.operations.insert(staged.reference.name)
    localState.creating = false
    // Throwing here would report a published operation as failed. The next run remembers it.
    try? run.state.save(localState, of: id)
    if !staged.fileChanges.isEmpty { judgeFiles() }
    judgeLogs()
  }

  /// Throws if the master key was rotated since the namespace was opened, since anything written
  /// here would be late.
  ///
  /// - Throws: ``BackupFolderError/cannotRotate(_:)`` with the next namespace.
  private func requireNotMoved() throws(BackupFolderError) {
    let next = Set(log.links.successors.map(\.id)).subtracting(lineage.knownSuccessors ?? [])
    if let next = next.min() { throw .cannotRotate(.moved(to: next)) }
  }

  func listingMark() throws(BackupFolderError) -> LogListing.Mark {
    guard let folder = try namespace.logFolder() else { return LogListing.Mark() }
    return try LogListing(folder).mark
  }

  /// Reads log files that another program of this computer, or the sync client, has added since.
  ///
  /// - Throws: ``RotationObstacle/moved(to:)`` when the master key was rotated since; system
  ///   errors.
  mutating func refresh(run: borrowing WritingRun) throws(BackupFolderError) {
    if !isLoaded {
      try load()
    } else if try listingMark() != log.listed {
      try load()
    } else if try sealedMark() != fileState.sealed.listed {
      try load()
    }
    try requireNotMoved()
    try refreshEarlier(run: run)
    // Writing without knowing the remembered operations would lose them.
    localState = try run.state.localState(of: id)
    try? remember(log.index.names, in: run.state)
    try? rememberFiles(in: run.state)
    rememberKeySlots(isLocked: true)
  }
}

extension Operation.Change {
  /// Whether it is of files or silent writers.
  fileprivate var isOfFiles: Bool {
    switch self {
    case .file, .writerAdd, .silentWriterRetire: true
    default: false
    }
  }
}

extension Namespace {
  /// The folder of one computer's log, created if it is missing.
  func makeLogFolder(of writer: WriterID) throws(BackupFolderError) -> Directory {
    try directory.makeSubdirectory(FolderLayout.ownFolder)
      .makeSubdirectory(FolderLayout.logFolder).makeSubdirectory(writer.hex)
  }
}
