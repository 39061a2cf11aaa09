internal import CSPP
internal import SecretMemory

/// The files and silent writers of an open namespace.
struct FileState {
  /// The verified operations of silent writers.
  var sealed = SealedLog()
  /// Which versions count.
  var versions = FileVersions()
  /// This computer's memory of them.
  var memory = FileMemory()
  /// The last operations of the silent writers that this computer is.
  var lastHere: [Operation.Seen] = []
  /// The operations that were opened once more.
  var reopened = ReopenedOperations()
}

extension OpenNamespace {
  /// Whether there is anything of files or silent writers, also in the namespaces before.
  var hasFiles: Bool {
    !log.files.isEmpty || log.sealedFolder != nil || lineage.earlier.contains { $0.open.hasFiles }
  }

  /// Reads the sealed operations and applies the rules of reading.
  mutating func loadFiles() throws(BackupFolderError) {
    fileState = FileState()
    if !hasFiles { return }
    let state = try? namespace.state(make: false)
    // Reading must not depend on the memory.
    fileState.memory = (try? state?.files(of: id)) ?? FileMemory()
    fileState.lastHere = namespace.lastSealedHere
    fileState.sealed = try SealedLog.read(
      log, namespace, masterKey: masterKey, verified: fileState.memory.verified,
      accepted: fileState.memory.acceptedLosses,
      isTolerant: purpose == .reading)
    fileState.versions = FileVersions(log, fileState.sealed)
  }

  /// Applies the rules again: after an operation was published, and with the namespaces before.
  ///
  /// - Parameter later: the retirements in the namespaces after this one.
  mutating func judgeFiles(with later: [FileRecords.Retirement] = []) {
    if !hasFiles { return }
    let retirements = later + knownRetirements
    for older in lineage.earlier { older.open.judgeFiles(with: retirements) }
    fileState.sealed.judgeAgain(retirements)
    fileState.versions = FileVersions(log, fileState.sealed, after: earlierFiles)
  }

  /// The retirements here that count: a master key that was given up retires nobody.
  var knownRetirements: [FileRecords.Retirement] {
    log.files.retirements.filter { !log.index.isBeyond($0.operation.digest) }
  }

  private var earlierFiles: [EarlierFiles] {
    lineage.earlier.map { older in
      EarlierFiles(
        id: older.open.id, versions: older.open.fileState.versions, sealed: older.open.allSealed,
        logs: older.open.allLogs, isFollowed: isFollowed(older.open.id))
    }
  }

  private var allSealed: [SealedLog] {
    [fileState.sealed] + lineage.earlier.flatMap { $0.open.allSealed }
  }

  private var allLogs: [LogIndex] { [log.index] + lineage.earlier.flatMap { $0.open.allLogs } }

  /// The pieces of sealed chains that an operation of now takes into account, also of the
  /// namespaces that this one follows.
  var sealedPieces: [Operation.SealedPiece] {
    var found = fileState.sealed.pieces()
    for older in lineage.earlier where follows(older.open.id) { found += older.open.sealedPieces }
    return Array(found.prefix(SealedLog.mostPieces))
  }

  /// An operation of this namespace, opened once more unless it is one of the last.
  func reopened(_ name: Digest) -> ReopenedOperation? {
    fileState.reopened.operation(name) { (workspace) in
      if let place = fileState.sealed.place(of: name) {
        return fileState.sealed.reopen(
          place, namespace, log.files.authorisations, masterKey: masterKey, &workspace)
      }
      guard let node = log.index.nodes.place(of: name) else { return nil }
      var folder = (try? namespace.logFolder()).flatMap { $0 }.map { LogFiles($0) }
      return log.reopen(
        node, in: &folder, namespace, masterKey: masterKey, workspace: &workspace)?.changes
    }
  }

  /// The sealed operations that were opened here before and of which there is no file.
  var missingSealed: OperationNames {
    let isListed = !log.isSealedUnlisted && !fileState.sealed.isUnlisted
    if fileState.memory.verified.isEmpty || !isListed { return [] }
    return fileState.memory.verified.subtracting(fileState.sealed.names)
      .subtracting(fileState.sealed.problems.unread)
  }

  /// The listing of the sealed operations now.
  func sealedMark() throws(BackupFolderError) -> LogListing.Mark {
    guard let logs = try namespace.logFolder(),
      let folder = try logs.sibling(FolderLayout.sealedFolder)
    else { return LogListing.Mark() }
    return try LogListing(folder).mark
  }

  /// Remembers what was verified, and counts how long versions were replaced.
  ///
  /// The caller holds the lock.
  mutating func rememberFiles(in state: StateFolder) throws(BackupFolderError) {
    if !hasFiles { return }
    var memory = try state.files(of: id)
    let new = fileState.sealed.names.subtracting(memory.verified)
    if !new.isEmpty {
      for writer in Set(new.map(\.writer)) {
        try? fileState.sealed.folder?.subdirectory(writer.hex)?.sync()
      }
      try? fileState.sealed.folder?.sync()
      memory.verified.formUnion(new)
    }
    // One that is here again is told when it goes again.
    memory.acceptedLosses = memory.acceptedLosses.subtracting(fileState.sealed.names)
    (memory.gaps, memory.losses) = (gapsNow, lossesNow)
    memory.unauthorised = OperationNames(fileState.sealed.unauthorised)
    if isCountDue(memory) {
      memory.count(at: namespace.settings.clock(), fileState.versions.candidates)
    }
    let isChanged = try memory != state.files(of: id)
    if isChanged { try state.save(memory, of: id) }
    fileState.memory = memory
  }

  /// A run soon after another does not count by itself: its time is added later.
  private static var countingPause: UInt64 { 3600 }

  /// Whether there is something to remember.
  var hasNewFiles: Bool {
    if !hasFiles { return false }
    let memory = fileState.memory
    if !memory.verified.isSuperset(of: fileState.sealed.names) { return true }
    if memory.gaps != gapsNow || memory.losses != lossesNow { return true }
    if memory.unauthorised != OperationNames(fileState.sealed.unauthorised) { return true }
    if memory.acceptedLosses.contains(where: { fileState.sealed.names.contains($0) }) {
      return true
    }
    return isCountDue(memory)
  }

  /// The sealed operations here that follow one that is not.
  private var gapsNow: OperationNames {
    let sealed = fileState.sealed
    return OperationNames(
      sealed.entries.indices.filter {
        sealed.entries[$0].reference.counter > 1 && sealed.chains.parent(of: $0) == nil
      }.map { sealed.entries[$0].reference.name })
  }

  /// The sealed operations that are named, or were opened before, and are not among those that count.
  ///
  /// Those of earlier namespaces are told there.
  private var lossesNow: OperationNames {
    let writers = Set(
      log.files.authorisations.filter { !$0.writer.may.isEmpty }.map(\.writer.writerID))
    let ends = namedSealedEnds.filter {
      writers.contains($0.writerID) && fileState.sealed.place(of: $0.digest) == nil
    }
    return OperationNames(ends.map(\.name)).union(missingSealed).union(
      fileState.sealed.unauthorised)
  }

  /// The ends of the silent writers' chains that operations name, and this computer's own.
  ///
  /// A master key that was given up makes no gaps.
  var namedSealedEnds: Set<Operation.Seen> {
    let seen = log.files.seenSealed.filter { !log.index.isBeyond($0.key) }
    return Set(seen.values.joined().map(\.end)).union(fileState.lastHere)
  }

  /// Which versions count once the earlier namespaces are deleted.
  var versionsAlone: FileVersions { FileVersions(log, fileState.sealed) }

  /// Whether this run counts for how long large versions have been replaced.
  private func isCountDue(_ memory: FileMemory) -> Bool {
    if fileState.versions.candidates.isEmpty && memory.replaced.isEmpty { return false }
    let time = namespace.settings.clock()
    return memory.countedAt.map { time < $0 || time - $0 >= Self.countingPause } ?? true
  }
}

extension FileVersions {
  /// The size in bytes up to which every version is kept, 64 KiB.
  static let keptSize: UInt64 = 64 * 1024

  /// The large versions that are replaced now, and may be given up one day.
  var candidates: Set<FileMemory.Version> {
    var found: Set<FileMemory.Version> = []
    for (place, version) in versions.enumerated()
    where isDead[place] && !isDropped[place] && version.namespace == nil
      && version.put.version.size > Self.keptSize
    {
      found.insert(
        FileMemory.Version(operation: version.operation.digest, file: version.put.fileID))
    }
    return found
  }
}
