public import CSPP
internal import SecretMemory

/// Decisions of a person about a file: its removal, and which version counts.
extension OpenNamespace {
  /// Removes a file: its live versions no longer count, and stay restorable.
  ///
  /// What is held back of it is refused.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - despiteGaps: whether to decide without operations or versions that are not here.
  /// - Throws: ``FileObstacle/noSuchFile``; ``FileObstacle/historyIncomplete``;
  ///   ``FileObstacle/lateContentsDamaged``; system errors.
  public mutating func removeFile(
    _ file: FileID, despiteGaps: Bool = false
  ) throws(BackupFolderError) {
    let run = try beginRun()
    let rules = fileState.versions
    if rules.live(file).isEmpty, rules.heldBackNames(of: file).isEmpty,
      versionsAlone.live(file).isEmpty
    {
      throw .file(.noSuchFile)
    }
    try requireWhole(file, despiteGaps)
    if let obstacle = try adoptLate(of: file, despiteGaps: despiteGaps, run: run) {
      throw .file(obstacle)
    }
    // What counts without the earlier namespaces goes, too: a person may delete them.
    let now = fileState.versions
    let alone = versionsAlone
    let names = now.names(of: now.live(file)) + alone.names(of: alone.live(file))
    let held = now.heldBackNames(of: file) + alone.heldBackNames(of: file)
    try end(Set(names + held), of: file, run: run) { $0.fileRemove(file, replaces: $1) }
  }

  /// Chooses a version: ends a conflict, accepts what is held back, brings back what was replaced or
  /// removed.
  ///
  /// What is held back beside a version that was not is refused. A version that was held back takes
  /// the place of what it follows only.
  ///
  /// - Parameters:
  ///   - version: from ``files()``.
  ///   - despiteGaps: whether to decide without operations or versions that are not here.
  /// - Returns: whether anything was written: nothing for the only live version, beside which nothing
  ///   is held back, and whose own contents are whole.
  /// - Throws: ``FileObstacle/noSuchVersion``; ``FileObstacle/historyIncomplete``;
  ///   ``FileObstacle/lateContentsDamaged``; that of its contents, which are read as a whole first;
  ///   system errors.
  @discardableResult
  public mutating func choose(
    _ version: StoredVersion, despiteGaps: Bool = false
  ) throws(BackupFolderError) -> Bool {
    let run = try beginRun()
    let source = try readableCopy(of: version)
    try namespace.objects()?.directory.removeStaged(tag: run.tag)
    let before = log.index.names.count
    let unadopted = try adoptLate(of: version.file, despiteGaps: despiteGaps, run: run)
    let rules = fileState.versions
    if let held = rules.heldBack(version) {
      let followed = rules.predecessors(of: held)
      let replaces = keepingAside(Set(followed.names), for: held)
      try write(held, read: source, replacing: replaces, refusing: followed.heldBack, run: run)
      return true
    }
    guard let kept = rules.refused(version) ?? known(version) else {
      throw .file(.noSuchVersion)
    }
    let live = rules.live(version.file)
    let aside = live.filter { rules.versions[$0].made != kept.made }
    // The choice has to be the same once a person has deleted the earlier namespaces.
    let alone = versionsAlone
    let counting = alone.live(version.file)
    let others = counting.filter { alone.versions[$0].made != kept.made }
    let isIndependent = !counting.isEmpty && others.isEmpty
    let held = Set(rules.heldBackNames(of: version.file) + alone.heldBackNames(of: version.file))
      .subtracting([kept.made])
    // Contents that are damaged, and whole elsewhere, are written once more.
    let isRepaired =
      source.operation != version.operation.digest || source.namespace != version.namespace
      || source.copy != nil
    if aside.isEmpty, !live.isEmpty, unadopted == nil, held.isEmpty, isIndependent, !isRepaired {
      // A late one counts here now.
      return log.index.names.count > before
    }
    try requireWhole(version.file, despiteGaps)
    if let unadopted { throw .file(unadopted) }
    let names = rules.names(of: isRepaired ? live : aside) + alone.names(of: others)
    try adoptFollowers(of: kept, run: run)
    let followed = fileState.versions
    let replaces = Set(names + followed.names(of: followed.followers(of: kept)))
    try write(
      kept, read: source, replacing: keepingAside(replaces, for: kept), refusing: held, run: run)
    return true
  }

  /// The names that a choice replaces: the given ones, and those of versions that it would bring back.
  private func keepingAside(
    _ names: Set<Digest>, for kept: FileVersions.Version
  ) -> [Digest] {
    let rules = [fileState.versions, versionsAlone]
    var names = names
    while true {
      let choice = FileVersions.Version(
        operation: Operation.Seen(
          writerID: kept.operation.writerID, counter: 0, digest: Digest(words: .zero)),
        place: 0, at: 0, put: kept.put.replacing(names.sorted()), made: kept.made, by: kept.by,
        kind: .decision)
      let freed = rules.flatMap { $0.freed(by: choice) }
      if names.isSuperset(of: freed) { return names.sorted() }
      names.formUnion(freed)
    }
  }

  /// Writes a version again, as a person's choice, and decides against versions that are held back.
  ///
  /// It gets an object of its own: another computer that has not seen the choice may give up the
  /// version, and remove its object.
  ///
  /// The last operation has the choice: a run that was killed before it has chosen nothing, and can
  /// be repeated.
  private mutating func write(
    _ kept: FileVersions.Version, read source: Holder, replacing replaces: [Digest],
    refusing refused: Set<Digest>, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    let file = kept.put.fileID
    let (put, operation) = try reopen(kept.operation.digest, file, in: kept.namespace)
    let prepared: PreparedVersion
    switch put.version.place {
    case .inline:
      do {
        prepared = PreparedVersion(
          version: try NewFileVersion(copying: put.version, in: operation.text), object: nil)
      } catch {
        throw .file(.contentsDamaged)
      }
    case .object:
      let seed = masterKey.withBytes { SecretBytes(copying: $0) }
      prepared = try ObjectFolder.prepare(
        copyOf: put.version, hedge: seed, in: namespace, tag: run.tag
      ) { (take) throws(BackupFolderError) in
        try read(source, file, into: take)
      }
    }
    if let object = prepared.object { try ObjectFolder.place(object) }
    let origin = FileOrigin(made: kept.made, by: kept.by)
    if log.index.tips().isEmpty {
      // An operation that has seen nothing is a finding, which decides nothing. This computer's
      // first operation is one then, and the choice has seen it.
      _ = try log(
        put: prepared.version, of: file, name: put.name, replaces: [], origin: origin, run: run)
    }
    let last = try end(refused, of: file, butTheLast: true, run: run) {
      $0.fileSettle(file, replaces: $1)
    }
    _ = try log(
      put: prepared.version, of: file, name: put.name, replaces: replaces, refusing: last,
      origin: origin,
      run: run)
  }

  /// Publishes operations that end versions.
  ///
  /// A retired computer may have written more of them than one operation names.
  ///
  /// - Parameters:
  ///   - names: the names of the versions.
  ///   - file: the file.
  ///   - isLastLeft: whether the last names are left for another operation.
  ///   - run: this writing run.
  ///   - change: adds the change with some names to an operation.
  /// - Returns: the names that were left.
  /// - Throws: system errors.
  @discardableResult
  private mutating func end(
    _ names: Set<Digest>, of file: FileID, butTheLast isLastLeft: Bool = false,
    run: borrowing WritingRun, _ change: (inout OperationBuilder, [Digest]) -> Void
  ) throws(BackupFolderError) -> [Digest] {
    // Of a name, its digits, two quotation marks and a comma.
    let most = max(1, fullOperation / (2 * Digest.byteCount + 3))
    var rest = names.sorted()[...]
    while isLastLeft ? rest.count > most : !rest.isEmpty {
      let next = Array(rest.prefix(most))
      let staged = try stage(run: run) { change(&$0, next) }
      try publish(staged, run: run)
      rest = rest.dropFirst(next.count)
    }
    return Array(rest)
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
  public var hasSealedGap: Bool { silentWriters().contains(where: \.lacksChanges) }
}
