internal import CSPP
internal import SecretMemory

/// Versions that are only in earlier namespaces, before a person writes about their file.
extension OpenNamespace {
  /// Whether a file has versions here or in an earlier namespace.
  func isKnown(_ file: FileID) -> Bool {
    fileState.versions.places[file] != nil
      || fileState.versions.retired.contains { $0.put.fileID == file }
      || lineage.earlier.contains { $0.open.isKnown(file) }
  }

  /// A version as the rules know it: by its operation, else by what it is a copy of.
  func known(_ version: StoredVersion) -> FileVersions.Version? {
    let rules = fileState.versions
    if let place = rules.place(of: version.operation.digest, file: version.file) {
      return rules.versions[place]
    }
    let copies = (rules.places[version.file] ?? []).filter {
      FileVersions.Identity(rules.versions[$0]) == FileVersions.Identity(version)
    }
    if let place = rules.representatives(of: copies).first { return rules.versions[place] }
    for older in lineage.earlier {
      guard var found = older.open.known(version) else { continue }
      found.namespace = found.namespace ?? older.open.id
      return found
    }
    return nil
  }

  /// Logs the late versions of a file here, before a person's operation names them, and copies
  /// contents that only an earlier namespace has.
  ///
  /// `seen` is empty, so they state only that they are there.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - despiteGaps: whether to go on while operations are missing that they may replace.
  ///   - run: this writing run.
  /// - Returns: nil if nothing of the file is late any more; else why.
  /// - Throws: system errors.
  @discardableResult
  mutating func adoptLate(
    of file: FileID, despiteGaps: Bool = false, run: borrowing WritingRun
  ) throws(BackupFolderError) -> FileObstacle? {
    try copyCarriedObjects(of: file, run: run)
    let late = fileState.versions.late(of: file)
    if late.isEmpty { return nil }
    if !despiteGaps {
      do throws(BackupFolderError) {
        try requireWhole(file, false)
      } catch .file(.historyIncomplete) {
        return .historyIncomplete
      }
      if lineage.earlier.contains(where: { $0.open.hasSealedGap }) { return .historyIncomplete }
    }
    return try log(found: late, despiteGaps: despiteGaps, run: run)
  }

  /// Logs versions of earlier namespaces here, each in an operation of its own that has seen nothing.
  ///
  /// - Returns: where contents could not be copied, and `despiteGaps` is false: why.
  /// - Throws: system errors.
  private mutating func log(
    found: [FileVersions.Version], despiteGaps: Bool, run: borrowing WritingRun
  ) throws(BackupFolderError) -> FileObstacle? {
    let settings = namespace.settings
    for version in found {
      var operation = OperationBuilder(
        at: settings.clock(), writerLabel: settings.writerLabel, seen: [])
      // The object may come later: a version is not lost for that.
      let problem = try carry(version, into: &operation, of: namespace, run: run)
      if let problem, !despiteGaps {
        return problem == .contentsDamaged ? .lateContentsDamaged : .historyIncomplete
      }
      if operation.count == 0 { continue }
      let staged = try stage(operation, nextHeader(), seen: [], versions: [], run: run)
      try publish(staged, run: run)
    }
    return nil
  }

  /// Logs what follows a version in earlier namespaces and does not count, before the version is
  /// brought back.
  ///
  /// The choice names it then. What its computer writes after it would replace the choice otherwise.
  mutating func adoptFollowers(
    of version: FileVersions.Version, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    let rules = fileState.versions
    let here = (rules.places[version.put.fileID] ?? []).map { rules.versions[$0] }
    var known = Set(here.filter { $0.namespace == nil }.map { FileVersions.Identity($0) })
    let found = earlierFollowers(of: version).filter {
      known.insert(FileVersions.Identity($0)).inserted
    }
    _ = try log(found: found, despiteGaps: true, run: run)
  }

  /// The versions in earlier namespaces by which a version's computer replaced it.
  private func earlierFollowers(of version: FileVersions.Version) -> [FileVersions.Version] {
    lineage.earlier.flatMap { older in
      let rules = older.open.fileState.versions
      let own = rules.followers(of: version).map { place in
        var found = rules.versions[place]
        found.namespace = found.namespace ?? older.open.id
        found.put = found.put.replacing(rules.reached(from: place))
        return found
      }
      return own + older.open.earlierFollowers(of: version)
    }
  }

  /// Adds a copy of a version to an operation of this or another namespace, and copies its object
  /// there first.
  ///
  /// - Parameters:
  ///   - version: a version that this namespace knows.
  ///   - operation: receives the copy, unless the version's contents are damaged for good.
  ///   - target: the operation's namespace.
  ///   - run: this writing run.
  ///   - progress: receives the number of bytes copied so far.
  /// - Returns: why the contents could not be copied; nil if they were.
  /// - Throws: system errors.
  func carry(
    _ version: FileVersions.Version, into operation: inout OperationBuilder, of target: Namespace,
    run: borrowing WritingRun, progress: (UInt64) -> Void = { _ in }
  ) throws(BackupFolderError) -> FileObstacle? {
    let (put, source) = try reopen(
      version.operation.digest, version.put.fileID, in: version.namespace)
    let copy: NewFileVersion
    do {
      copy = try NewFileVersion(copying: put.version, in: source.text)
    } catch {
      return .contentsDamaged
    }
    let problem = try copyObject(
      of: put.version, into: target, run: run, progress: progress)
    do {
      try operation.filePut(
        put.fileID, name: put.name, version: copy, replaces: version.put.replaces,
        origin: FileOrigin(made: version.made, by: version.by))
    } catch {
      throw .internalError("a copy of a version: \(error)")
    }
    return problem
  }

  /// Copies a version's object into a namespace, unless it is there; `progress` receives the number
  /// of bytes copied so far.
  ///
  /// - Returns: why it could not be copied; nil if it is there now, or there is none.
  /// - Throws: system errors.
  func copyObject(
    of version: FileVersion, into target: Namespace, run: borrowing WritingRun,
    progress: (UInt64) -> Void = { _ in }
  ) throws(BackupFolderError) -> FileObstacle? {
    guard case .object(let object, _) = version.place else { return nil }
    do throws(BackupFolderError) {
      try ObjectFolder.copy(
        object, contents: version.size, from: objectFolders(), into: target, tag: run.tag,
        progress: progress)
      return nil
    } catch .file(let obstacle) {
      return obstacle
    }
  }
}
