public import CSPP
internal import SecretMemory

extension OpenNamespace {
  /// Adds a version of a file, durably.
  ///
  /// In a conflict it takes the place of the versions that computers with the key made, and leaves
  /// the others.
  ///
  /// - Parameters:
  ///   - contents: the contents.
  ///   - name: the file's name.
  ///   - file: the file; nil for a new one.
  ///   - progress: receives the number of bytes that were sealed so far.
  /// - Returns: the version, or that it is the newest already.
  /// - Throws: ``FileObstacle/changedWhileReading``; ``FileObstacle/noSuchFile``; system errors.
  public mutating func addFile(
    _ contents: borrowing FileContents, name: PathComponent, to file: FileID? = nil,
    progress: (UInt64) -> Void = { _ in }
  ) throws(BackupFolderError) -> AddedVersion {
    let run = try WritingRun.begin(namespace.state(make: true))
    try refresh(run: run)
    try namespace.objects()?.directory.removeStaged(tag: run.tag)
    if let file, !isKnown(file) { throw .file(.noSuchFile) }
    let id = file ?? .random()
    try adoptLate(of: id, run: run)
    let rules = fileState.versions
    // Late ones that had to stay where they are keep counting.
    let live = rules.live(id).filter { rules.versions[$0].namespace == nil }
    let found = try contents.digest()
    let isSame = live.allSatisfy {
      rules.versions[$0].put.version.content == found.digest && rules.versions[$0].put.name == name
    }
    if isSame, try holdsContents(of: live) { return .unchanged(file: id) }
    let isConflicted = Set(live.map { rules.versions[$0].put.version.content }).count > 1
    let replaced = isConflicted ? live.filter { rules.versions[$0].by == nil } : live
    let seed = masterKey.withBytes { SecretBytes(copying: $0) }
    let prepared = try ObjectFolder.prepare(
      contents, digest: found.digest, hedge: seed, in: namespace, tag: run.tag, progress: progress)
    if let object = prepared.object { try ObjectFolder.place(object) }
    try followSilentWallets(run: run)
    let size = prepared.version.size
    let operation = try log(
      put: prepared.version, of: id, name: name, replaces: rules.names(of: replaced), origin: nil,
      run: run)
    return .added(file: id, operation: operation, size: size)
  }

  /// Whether the contents of one of these versions are here: somebody may have deleted an object.
  private func holdsContents(of versions: [Int]) throws(BackupFolderError) -> Bool {
    let objects = try namespace.objects()
    return versions.contains { place in
      let contents = fileState.versions.versions[place].put.version
      return switch contents.place {
      case .inline: true
      case .object(let name, _): objects?.state(of: name, contents: contents.size) == .here
      }
    }
  }

  /// Takes over what silent writers added to the wallets, and writes the CSPP files for it.
  mutating func followSilentWallets(run: borrowing WritingRun) throws(BackupFolderError) {
    if waitingSilentWallets == 0 { return }
    try logSilent(run: run)
    _ = try repair(run: run)
  }

  /// Publishes an operation with one version.
  private mutating func log(
    put version: borrowing NewFileVersion, of file: FileID, name: PathComponent,
    replaces: [Digest], origin: FileOrigin?, run: borrowing WritingRun
  ) throws(BackupFolderError) -> Operation.Seen {
    let settings = namespace.settings
    let seen = log.index.tips()
    var builder = OperationBuilder(
      at: settings.clock(), writerLabel: settings.writerLabel, seen: seen,
      seenSealed: sealedPieces)
    do {
      try builder.filePut(file, name: name, version: version, replaces: replaces, origin: origin)
    } catch {
      throw .internalError("a version: \(error)")
    }
    let staged = try stage(builder, nextHeader(), seen: seen, versions: [], run: run)
    try publish(staged, run: run)
    return staged.reference
  }

  /// Removes a file: its live versions no longer count, and stay restorable.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - despiteGaps: whether to decide without operations or versions that are not here.
  /// - Throws: ``FileObstacle/noSuchFile``; ``FileObstacle/historyIncomplete``; system errors.
  public mutating func removeFile(
    _ file: FileID, despiteGaps: Bool = false
  ) throws(BackupFolderError) {
    let run = try WritingRun.begin(namespace.state(make: true))
    try refresh(run: run)
    if fileState.versions.live(file).isEmpty { throw .file(.noSuchFile) }
    try requireWhole(file, despiteGaps)
    guard try adoptLate(of: file, despiteGaps: despiteGaps, run: run) else {
      throw .file(.historyIncomplete)
    }
    let live = fileState.versions.live(file)
    let names = fileState.versions.names(of: live)
    let staged = try stage(run: run) { $0.fileRemove(file, replaces: names) }
    try publish(staged, run: run)
  }

  /// Chooses a version: ends a conflict, accepts what is held back, brings back what was replaced or
  /// removed.
  ///
  /// - Parameters:
  ///   - version: from ``files()``; nothing is written for the only live one.
  ///   - despiteGaps: whether to decide without operations or versions that are not here.
  /// - Throws: ``FileObstacle/noSuchVersion``; ``FileObstacle/historyIncomplete``; system errors.
  public mutating func choose(
    _ version: StoredVersion, despiteGaps: Bool = false
  ) throws(BackupFolderError) {
    let run = try WritingRun.begin(namespace.state(make: true))
    try refresh(run: run)
    try namespace.objects()?.directory.removeStaged(tag: run.tag)
    let isAdopted = try adoptLate(of: version.file, despiteGaps: despiteGaps, run: run)
    let rules = fileState.versions
    let name = version.operation.digest
    let held = rules.heldBack.first {
      $0.operation.digest == name && $0.put.fileID == version.file
    }
    let replaces: [Digest]
    let kept: FileVersions.Version
    if let held {
      kept = held
      replaces = rules.predecessors(of: held)
    } else {
      guard let found = known(version) else { throw .file(.noSuchVersion) }
      kept = found
      let live = rules.live(version.file)
      let aside = live.filter { rules.versions[$0].made != kept.made }
      if aside.isEmpty, !live.isEmpty, isAdopted { return }
      try requireWhole(version.file, despiteGaps)
      guard isAdopted else { throw .file(.historyIncomplete) }
      let names = rules.names(of: aside)
      try adoptFollowers(of: kept, run: run)
      let followed = fileState.versions
      replaces = Set(names + followed.names(of: followed.followers(of: kept))).sorted()
    }
    let (put, operation) = try reopen(
      kept.operation.digest, version.file, in: kept.namespace)
    let copy: NewFileVersion
    do {
      copy = try NewFileVersion(copying: put.version, in: operation.text)
    } catch {
      throw .file(.contentsDamaged)
    }
    if kept.namespace != nil, case .object(let object, _) = put.version.place {
      try ObjectFolder.copy(
        object, contents: put.version.size, from: objectFolders(), into: namespace, tag: run.tag)
    }
    let origin = FileOrigin(made: kept.made, by: kept.by)
    if log.index.tips().isEmpty {
      // An operation that has seen nothing is a finding, which decides nothing. This computer's
      // first operation is one then, and the choice has seen it.
      _ = try log(
        put: copy, of: version.file, name: put.name, replaces: [], origin: origin, run: run)
    }
    _ = try log(
      put: copy, of: version.file, name: put.name, replaces: replaces, origin: origin, run: run)
  }

  /// Throws while something is missing that a decision about a file should know.
  func requireWhole(_ file: FileID?, _ despiteGaps: Bool) throws(BackupFolderError) {
    if despiteGaps { return }
    let missing = fileState.versions.missing
    let isFileWhole = file.map { missing[$0] == nil } ?? missing.isEmpty
    let isLogWhole = health.incomplete + health.rolledBack == 0
    guard isFileWhole, isLogWhole, !hasSealedGap else { throw .file(.historyIncomplete) }
  }

  /// Whether operations of silent writers are named, or were here, and are not here.
  var hasSealedGap: Bool {
    silentWriters().contains { !$0.isBehind && ($0.hasGap || $0.missing + $0.incomplete > 0) }
  }
}
