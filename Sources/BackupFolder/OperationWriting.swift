internal import CSPP
internal import SecretMemory

/// What a writing run holds from its start to its end.
struct WritingRun: ~Copyable {
  let state: StateFolder
  /// Tells this computer's temporary files from another's.
  let tag: String
  private let lock: FileLock

  /// Takes the lock.
  static func begin(_ state: StateFolder) throws(BackupFolderError) -> WritingRun {
    let lock = try state.lock()
    let tag = try state.temporaryTag()
    return WritingRun(state: state, tag: tag, lock: lock)
  }
}

/// An operation that is on the disk and checked, but has no name yet.
struct StagedOperation {
  let sealed: SealedOperation
  let seen: [Operation.Seen]
  let versions: [(RecordID, Digest?)]
  fileprivate let file: AtomicFile
  fileprivate let folder: Directory
}

extension OpenNamespace {
  /// Who writes the next operation, and after what.
  ///
  /// If the last operation of this computer's writer is not the one that is
  /// remembered (a crash, a cloned machine, a rolled-back folder), a new writer
  /// begins: one counter is never claimed twice.
  func nextHeader() throws(BackupFolderError) -> OperationHeader {
    do {
      if let writer = memory.writer {
        let last = log.index.last(of: writer)
        if last?.name == memory.lastOwn {
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

  /// Seals an operation and puts it on the disk without publishing it.
  ///
  /// - Parameters:
  ///   - builder: holds the changes.
  ///   - header: from ``nextHeader()``.
  ///   - seen: what it may supersede, as the builder was told.
  ///   - versions: what its first changes do to records, for the index.
  ///   - run: this writing run.
  /// - Returns: the operation, to be given to ``publish(_:run:)``.
  /// - Throws: ``BackupFolderError/tooLarge(path:limit:)``; system errors.
  mutating func stage(
    _ builder: consuming OperationBuilder, _ header: OperationHeader, seen: [Operation.Seen],
    versions: [(RecordID, Digest?)], run: borrowing WritingRun
  ) throws(BackupFolderError) -> StagedOperation {
    let settings = namespace.settings
    let sealed: SealedOperation
    do {
      sealed = try builder.seal(
        header: header, masterKey: masterKey, limit: settings.limits.operation)
    } catch .tooLarge(let limit) {
      throw .tooLarge(path: FolderLayout.logFolder, limit: limit)
    } catch {
      throw .internalError("sealing an operation: \(error)")
    }
    let folder = try namespace.makeLogFolder(of: header.writerID)
    let file = try unsafe AtomicFile(
      staging: sealed.file.span.bytes, in: folder, tag: run.tag)
    try settle(file, sealed)
    return StagedOperation(
      sealed: sealed, seen: seen, versions: versions, file: file, folder: folder)
  }

  private mutating func settle(
    _ file: AtomicFile, _ sealed: SealedOperation
  ) throws(BackupFolderError) {
    // Apart from `self`, so that the check can read the master key.
    var buffer = FileBuffer()
    var plaintext = SecretBytes(zeroed: 0)
    swap(&buffer, &workspace.buffer)
    swap(&plaintext, &workspace.plaintext)
    defer {
      swap(&buffer, &workspace.buffer)
      swap(&plaintext, &workspace.plaintext)
    }
    let limit = namespace.settings.limits.operation
    try file.settle(buffer: &buffer) { bytes in
      guard let back = try? OperationFile(parsing: bytes, at: id, limit: limit),
        back.digest == sealed.digest
      else { return false }
      return (try? back.open(masterKey: masterKey, into: &plaintext)) != nil
    }
  }

  /// Gives a staged operation its name: from here on it counts.
  mutating func publish(
    _ staged: StagedOperation, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    let sealed = staged.sealed
    guard try staged.file.publish(new: sealed.fileName) else {
      throw .busy(path: "\(staged.folder.path)/\(sealed.fileName)")
    }
    try staged.folder.sync()
    log.append(sealed, seen: staged.seen, versions: staged.versions, firstChange: 0)
    memory.writer = sealed.header.writerID
    memory.lastOwn = sealed.seen.name
    memory.operations.insert(sealed.seen.name)
    memory.creating = false
    // Not remembering an own operation costs nothing but a new writer id next
    // time; failing here would call undone what is done.
    try? run.state.save(memory, of: id)
    health = log.index.health(memory: memory, unsynchronised: log.unsynchronised)
  }

  /// Reads again what another program of this computer, or the sync client,
  /// brought since the logs were read.
  mutating func refresh(run: borrowing WritingRun) throws(BackupFolderError) {
    let listed = try namespace.logFolder().map { (folder) throws(BackupFolderError) in
      try OperationLog.list(folder)
    }
    if Set(listed ?? []) != log.listed {
      try load()
    } else {
      memory = try run.state.memory(of: id)
      memory.operations.formUnion(log.index.nodes.map(\.reference.name))
    }
  }
}

extension Namespace {
  /// The folder of one computer's log, made if it is not there.
  func makeLogFolder(of writer: WriterID) throws(BackupFolderError) -> Directory {
    try directory.makeSubdirectory(FolderLayout.ownFolder)
      .makeSubdirectory(FolderLayout.logFolder).makeSubdirectory(writer.hex)
  }
}
