internal import CSPP

/// Contents of versions here that are in an earlier namespace only, or come there later.
extension OpenNamespace {
  /// The kept versions of this namespace whose objects are not whole in its own folder and may be in
  /// an earlier one.
  ///
  /// Objects are not read: their size counts.
  ///
  /// - Parameter file: the file; nil for all.
  /// - Returns: the versions.
  func versionsWithoutContents(of file: FileID? = nil) -> [FileVersion] {
    let carried = carriedVersions(of: file)
    if carried.isEmpty { return [] }
    let own = (try? namespace.objects()).flatMap { $0 }
    return carried.filter { version in
      guard let object = version.object else { return false }
      return own?.state(of: object, contents: version.size) != .here
    }
  }

  /// The kept versions of this namespace that an earlier one had first, and that have an object.
  private func carriedVersions(of file: FileID?) -> [FileVersion] {
    if lineage.earlier.isEmpty { return [] }
    return fileState.versions.kept.filter { version in
      version.namespace == nil && version.put.version.object != nil
        && (file == nil || version.put.fileID == file) && !isHere(version.made)
    }.map(\.put.version)
  }

  /// The kept versions whose objects here have the right size and other bytes, while an earlier
  /// namespace may have the right ones.
  private func damagedCarriedVersions() throws(BackupFolderError) -> [FileVersion] {
    guard let own = (try? namespace.objects()).flatMap({ $0 }) else { return [] }
    var found: [FileVersion] = []
    var known: Set<Digest> = []
    for version in carriedVersions(of: nil) {
      guard let object = version.object, known.insert(object).inserted,
        own.state(of: object, contents: version.size) == .here
      else { continue }
      if try !([own].hold(object)) { found.append(version) }
    }
    return found
  }

  /// Whether an operation is in this namespace: contents that it first had are in no earlier one.
  private func isHere(_ made: Digest) -> Bool {
    log.index.contains(made) || fileState.sealed.place(of: made) != nil
  }

  /// The number of kept versions whose contents are in an earlier namespace, and not here.
  public var contentsOnlyEarlier: Int {
    let missing = versionsWithoutContents()
    if missing.isEmpty { return 0 }
    let folders = (try? objectFolders()) ?? []
    return missing.count { version in
      version.object.map { (try? folders.holdWhole($0, contents: version.size)) != false } ?? false
    }
  }

  /// The number of versions whose contents writing calls copied from an earlier namespace.
  public var copiedContents: Int { lineage.copiedContents }

  /// Copies contents that only an earlier namespace has into this one.
  ///
  /// What no folder has waits.
  ///
  /// - Parameters:
  ///   - file: the file; nil for all.
  ///   - run: this writing run.
  /// - Throws: system errors.
  mutating func copyCarriedObjects(
    of file: FileID? = nil, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    try copy(versionsWithoutContents(of: file), run: run)
  }

  /// Writes objects that are not whole from the copies that a sync program made of them, and removes
  /// copies of whole objects.
  ///
  /// Objects without such copies are not read. A copy with the bytes of another object stays.
  ///
  /// - Throws: ``BackupFolderError/interrupted``; system errors.
  mutating func settleObjects(run: borrowing WritingRun) throws(BackupFolderError) {
    guard let own = try namespace.objects() else { return }
    let copied = try own.objectsWithConflictCopies()
    if copied.isEmpty { return }
    let kept = fileState.versions.kept.filter { $0.namespace == nil }.map(\.put.version)
    let named = Set(kept.compactMap(\.object))
    for object in copied.intersection(named).sorted() {
      if try !([own].hold(object)), let version = kept.first(where: { $0.object == object }) {
        if try copyObject(of: version, into: namespace, run: run) != nil { continue }
        lineage.copiedContents += 1
      }
      for name in own.conflictCopies(of: object) where Digest(claimedBy: name) == object {
        let isGone = try own.removeCopy(name, tag: run.tag) { found in
          found == object || found.map(named.contains) != true
        }
        if isGone {
          slotFiles.repairs.deleted.append(
            "\(FolderLayout.ownFolder)/\(FolderLayout.objectFolder)/\(name)")
        }
      }
    }
  }

  /// Copies contents that are damaged here and whole in an earlier namespace; all are read.
  ///
  /// - Throws: ``BackupFolderError/interrupted``; system errors.
  mutating func repairCarriedObjects(run: borrowing WritingRun) throws(BackupFolderError) {
    try copy(damagedCarriedVersions(), run: run)
  }

  private mutating func copy(
    _ versions: [FileVersion], run: borrowing WritingRun
  ) throws(BackupFolderError) {
    for version in versions where try copyObject(of: version, into: namespace, run: run) == nil {
      lineage.copiedContents += 1
    }
  }
}
