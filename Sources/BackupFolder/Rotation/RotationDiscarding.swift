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
      do throws(BackupFolderError) {
        try left.discardUnfinished(run: run)
      } catch .cannotRotate(.unfinished) {
        continue
      }
      gone.append(candidate)
    }
    lineage.earlier.removeAll { gone.contains($0.open.id) }
    lineage.others.removeAll { gone.contains($0.namespaceID) }
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
    health.incomplete + health.rolledBack + health.forked == 0 && logFindings.isEmpty
  }

  private func isFollowed(by id: NamespaceID) -> Bool {
    log.links.successors.contains { $0.id == id }
  }
}

/// Starts a rotation over: removes the namespace of the interrupted one.
extension Namespace {
  /// Removes a namespace that an interrupted rotation of this computer created, and that no log
  /// names.
  ///
  /// - Throws: ``RotationObstacle/unfinished(_:)`` when another computer wrote there; system
  ///   errors.
  func discardUnfinished(run: borrowing WritingRun) throws(BackupFolderError) {
    let localState = try run.state.localState(of: id)
    guard localState.rotatingFrom != nil else { throw .cannotRotate(.unfinished(id)) }
    // What a silent writer or another computer put here is nobody's to remove.
    if let sealed = try ownFolder(FolderLayout.sealedFolder), try !sealed.names().isEmpty {
      throw .cannotRotate(.unfinished(id))
    }
    guard try hasOnlyCopies(run) else { throw .cannotRotate(.unfinished(id)) }
    if let logs = try logFolder() {
      for name in try logs.names() {
        guard let writer = WriterID(hex: name), localState.rotatingWriters.contains(writer) else {
          throw .cannotRotate(.unfinished(id))
        }
      }
      // The operations go first: without one, nothing here counts.
      for name in try logs.names() {
        try logs.subdirectory(name)?.removeFiles()
        logs.removeEmptySubdirectory(name)
      }
    }
    try ownFolder(FolderLayout.objectFolder)?.removeFiles()
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
}

extension Namespace {
  /// Whether another namespace has each object too.
  private func hasOnlyCopies(_ run: borrowing WritingRun) throws(BackupFolderError) -> Bool {
    guard let own = try ownFolder(FolderLayout.objectFolder) else { return true }
    var others: [Directory] = []
    for other in try run.state.namespaces() where other != id {
      if let folder = try sibling(other)?.ownFolder(FolderLayout.objectFolder) {
        others.append(folder)
      }
    }
    return try own.names().allSatisfy { name in
      name.hasPrefix(AtomicFile.temporaryPrefix + run.tag)
        || others.contains { $0.size(of: name) != nil }
    }
  }
}

extension Directory {
  fileprivate func removeFiles() throws(BackupFolderError) {
    for name in try names() { try unlink(name) }
  }
}
