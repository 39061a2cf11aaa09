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
  ///   - again: whether contents that count already make a version.
  ///   - progress: receives the number of bytes that were sealed so far.
  /// - Returns: the version, or that it is the newest already.
  /// - Throws: ``FileObstacle/changedWhileReading``; ``FileObstacle/noSuchFile``; system errors.
  public mutating func addFile(
    _ contents: borrowing FileContents, name: PathComponent, to file: FileID? = nil,
    again: Bool = false, progress: (UInt64) -> Void = { _ in }
  ) throws(BackupFolderError) -> AddedVersion {
    let run = try beginRun()
    try namespace.objects()?.directory.removeStaged(tag: run.tag)
    if let file, !isKnown(file) { throw .file(.noSuchFile) }
    let id = file ?? .random()
    try adoptLate(of: id, run: run)
    let rules = fileState.versions
    // Late ones that had to stay where they are keep counting.
    let live = rules.live(id).filter { rules.versions[$0].namespace == nil }
    let found = try contents.digest(unless: namespace.settings.watch.isInterrupted)
    let isSame = live.allSatisfy {
      rules.versions[$0].put.version.content == found.digest && rules.versions[$0].put.name == name
    }
    if !again, isSame, try holdsContents(of: live) { return .unchanged(file: id) }
    let isConflicted = Set(live.map { rules.versions[$0].put.version.content }).count > 1
    let replaced = isConflicted ? live.filter { rules.versions[$0].by == nil } : live
    // What would count without the earlier namespaces is replaced, too.
    let alone = versionsAlone
    let others = alone.live(id).filter { !isConflicted || alone.versions[$0].by == nil }
    let replaces = Set(rules.names(of: replaced) + alone.names(of: others)).sorted()
    let seed = masterKey.withBytes { SecretBytes(copying: $0) }
    let prepared = try ObjectFolder.prepare(
      contents, found: found, hedge: seed, in: namespace, tag: run.tag, progress: progress)
    if let object = prepared.object { try ObjectFolder.place(object) }
    try followSilentWallets(run: run)
    let size = prepared.version.size
    let operation = try log(
      put: prepared.version, of: id, name: name, replaces: replaces, origin: nil,
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
      case .object(let name, _): objects?.holds(name, contents: contents.size) ?? false
      }
    }
  }

  /// Takes over what silent writers added to the wallets, and writes the CSPP files for it.
  mutating func followSilentWallets(run: borrowing WritingRun) throws(BackupFolderError) {
    if waitingSilentWallets == 0 { return }
    try logSilent(run: run)
    _ = try repair(run: run)
  }

  /// Publishes an operation with one version, which may also refuse what is held back.
  mutating func log(
    put version: borrowing NewFileVersion, of file: FileID, name: PathComponent,
    replaces: [Digest], refusing refused: [Digest] = [], origin: FileOrigin?,
    run: borrowing WritingRun
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
    if !refused.isEmpty { builder.fileSettle(file, replaces: refused) }
    let staged = try stage(builder, nextHeader(), seen: seen, versions: [], run: run)
    try publish(staged, run: run)
    return staged.reference
  }
}
