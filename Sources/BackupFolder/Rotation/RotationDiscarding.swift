public import CSPP

extension OpenNamespace {
  /// Removes the namespaces of rotations that were interrupted on this computer and overtaken by
  /// another computer's.
  ///
  /// They are copies that no later run would finish. They stay where a log is not whole, since it
  /// might say that the rotation finished, and where another computer has written.
  ///
  /// - Returns: the namespaces that were removed.
  /// - Throws: system errors.
  public mutating func discardOvertaken() throws(BackupFolderError) -> [NamespaceID] {
    if lineage.earlier.isEmpty { return [] }
    let run = try WritingRun.begin(namespace.state(make: true))
    let followed = followedNamespaces()
    var gone: [NamespaceID] = []
    for candidate in try run.state.namespaces() {
      guard let source = try run.state.localState(of: candidate).rotatingFrom,
        let before = followed[source], before.open.isWhole,
        candidate != id, followed[candidate] == nil,
        !followed.values.contains(where: { $0.open.isFollowed(by: candidate) }),
        let left = try namespace.sibling(candidate)
      else { continue }
      let needed = Set(fileState.versions.kept.compactMap(\.put.version.object))
      do throws(BackupFolderError) {
        try before.open.keepObjects(of: left, besides: needed, run: run)
        try left.discardUnfinished(run: run)
      } catch .cannotRotate(.unfinished), .cannotRotate(.onlyCopies) {
        continue
      }
      gone.append(candidate)
    }
    lineage.earlier.removeAll { gone.contains($0.open.id) }
    lineage.others.removeAll { gone.contains($0.namespaceID) }
    if !gone.isEmpty { judgeFiles() }
    return gone
  }

  private func followedNamespaces() -> [NamespaceID: EarlierNamespace] {
    var found: [NamespaceID: EarlierNamespace] = [:]
    for older in lineage.earlier {
      if isFollowed(older.open.id) { found[older.open.id] = older }
      found.merge(older.open.followedNamespaces()) { one, _ in one }
    }
    return found
  }

  private var isWhole: Bool {
    health.incomplete + health.rolledBack + health.forked == 0 && unusableLogFiles.isEmpty
  }

  private func isFollowed(by id: NamespaceID) -> Bool {
    log.links.successors.contains { $0.id == id }
  }

  /// Keeps the objects of an interrupted rotation's namespace that is to be removed.
  ///
  /// Each must be whole in another namespace, or belong to versions that were given up. One that
  /// this namespace has lost is copied back.
  ///
  /// - Parameters:
  ///   - left: the namespace of the interrupted rotation.
  ///   - needed: objects that are needed elsewhere.
  ///   - despiteGaps: whether others stay where they are: anybody can put files there.
  ///   - run: this writing run.
  /// - Returns: the files that stay.
  /// - Throws: ``RotationObstacle/onlyCopies(_:)``; system errors.
  @discardableResult
  func keepObjects(
    of left: Namespace, besides needed: Set<Digest> = [], despiteGaps: Bool = false,
    run: borrowing WritingRun
  ) throws(BackupFolderError) -> Set<String> {
    guard let objects = try left.objects() else { return [] }
    var staying: Set<String> = []
    func stay(_ name: String) throws(BackupFolderError) {
      if !despiteGaps { throw .cannotRotate(.onlyCopies(left.id)) }
      staying.insert(name)
    }
    var others: [ObjectFolder] = []
    for other in try run.state.namespaces() where other != left.id {
      if let folder = try namespace.sibling(other)?.objects() { others.append(folder) }
    }
    let rules = fileState.versions
    let spent = rules.spentObjects.subtracting(needed)
    for name in try objects.directory.names() {
      if name.hasPrefix(AtomicFile.temporaryPrefix + run.tag) { continue }
      guard let object = try objects.object(name) else {
        if OwnName.canBeOurs(name) { try stay(name) }
        continue
      }
      if spent.contains(object) { continue }
      if try others.hold(object) { continue }
      guard let version = rules.kept.first(where: { $0.put.version.object == object }) else {
        // Other bytes than those of the name are nobody's contents.
        if !OwnName.canBeOurs(name) { continue }
        if try objects.mayHold(object, as: name) { try stay(name) }
        continue
      }
      do throws(BackupFolderError) {
        try ObjectFolder.copy(
          object, contents: version.put.version.size, from: [objects], into: namespace,
          tag: run.tag)
      } catch .file {
        try stay(name)
      }
    }
    return staying
  }
}

/// Starts a rotation over: removes the namespace of the interrupted one.
extension Namespace {
  /// Removes a namespace that an interrupted rotation of this computer created, and that no log
  /// names; the caller has kept its objects.
  ///
  /// - Parameters:
  ///   - staying: objects that stay, with all that others wrote; nil: others may not have written.
  ///   - run: this writing run.
  /// - Throws: ``RotationObstacle/unfinished(_:)`` when another computer wrote there; system
  ///   errors.
  func discardUnfinished(
    leaving staying: Set<String>? = nil, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    var localState = try run.state.localState(of: id)
    guard localState.rotatingFrom != nil else { throw .cannotRotate(.unfinished(id)) }
    // What a silent writer or another computer put here is nobody's to remove.
    if staying == nil, let sealed = try ownFolder(FolderLayout.sealedFolder),
      try sealed.names().contains(where: OwnName.canBeOurs)
    {
      throw .cannotRotate(.unfinished(id))
    }
    if let logs = try logFolder() {
      for name in try logs.names() where staying == nil && OwnName.canBeOurs(name) {
        guard let writer = WriterID(hex: name), localState.rotatingWriters.contains(writer) else {
          throw .cannotRotate(.unfinished(id))
        }
      }
      // If this run is killed, what it had removed by then was not rolled back.
      localState.operations = []
      try run.state.save(localState, of: id)
      try logs.removeLogs(besides: staying == nil ? [] : othersLogs(logs, localState))
    }
    try ownFolder(FolderLayout.objectFolder)?.removeFiles(besides: staying ?? [])
    try walletFolder()?.removeFiles()
    try directory.subdirectory(FolderLayout.masterKeyFolder)?.removeFiles()
    try keyFolder()?.removeFiles()
    removeEmptyFolders()
    if let all = try folder.subdirectory(FolderLayout.namespaces) {
      all.removeEmptySubdirectory(id.hex)
      try all.sync()
    }
    try run.state.forget(id)
  }

  /// The folders of the log that no rotation of this computer has written to.
  private func othersLogs(
    _ logs: Directory, _ localState: LocalState
  ) throws(BackupFolderError) -> Set<String> {
    let own = Set(localState.rotatingWriters.map(\.hex))
    return Set(try logs.names()).subtracting(own)
  }
}

extension ObjectFolder {
  /// Whether a file may have the bytes that its name claims: an object's, or those of a copy of one.
  fileprivate func mayHold(_ object: Digest, as name: String) throws(BackupFolderError) -> Bool {
    if name != FolderLayout.objectFile(object) { return name.contains(object.hex) }
    do throws(BackupFolderError) {
      return try isWhole(object)
    } catch {
      if error == .interrupted { throw error }
      return true
    }
  }

  /// The object that a file here holds by its name, or by its bytes, such as a conflict copy; nil if
  /// it cannot be read.
  fileprivate func object(_ name: String) throws(BackupFolderError) -> Digest? {
    if let object = Digest(hex: String(name.prefix(64))), FolderLayout.objectFile(object) == name {
      return object
    }
    do {
      return try digest(of: name)
    } catch .interrupted {
      throw .interrupted
    } catch {
      return nil
    }
  }
}

extension Directory {
  /// Removes all files; those of other programs, and their folders, as far as that is possible.
  fileprivate func removeFiles(besides staying: Set<String> = []) throws(BackupFolderError) {
    for name in try names() where !staying.contains(name) {
      do throws(BackupFolderError) {
        try unlink(name)
      } catch  where !OwnName.canBeOurs(name) {
        continue
      }
    }
  }

  /// Removes the operations of all writers in this folder, each before those that it builds on.
  ///
  /// A run that is killed leaves what a rotation leaves that was killed earlier. Without a first
  /// operation nothing in the namespace counts.
  fileprivate func removeLogs(besides others: Set<String>) throws(BackupFolderError) {
    var operations: [(name: String, log: Directory)] = []
    for writer in try names() where !others.contains(writer) {
      guard let log = try readableSubdirectory(writer) else { continue }
      for name in try log.names() { operations.append((name, log)) }
    }
    // A name begins with the counter.
    for operation in operations.sorted(by: { $0.name > $1.name }) {
      do throws(BackupFolderError) {
        try operation.log.unlink(operation.name)
      } catch  where !OwnName.canBeOurs(operation.name) {
        continue
      }
    }
    for writer in try names() { removeEmptySubdirectory(writer) }
  }
}
