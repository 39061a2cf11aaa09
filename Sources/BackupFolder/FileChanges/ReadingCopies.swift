internal import CSPP

/// Contents of a version from whatever holds them: another operation's object, or a copy that a sync
/// program made.
extension OpenNamespace {
  /// Reads the contents of a version from the first place where they can be read.
  ///
  /// A choice, a rotation and a second version with the same contents have objects of their own. One
  /// may be damaged or missing while another is whole. Conflict copies of the objects come last.
  ///
  /// - Parameters:
  ///   - version: from ``files()``.
  ///   - again: is called before another copy is read: what the sink has received was not right.
  ///   - sink: as for ``read(_:into:)``.
  /// - Throws: the error of the version itself; what `again` throws; system errors.
  public func readAnyCopy(
    _ version: StoredVersion, again: () throws(BackupFolderError) -> Void,
    into sink: (RawSpan) throws(BackupFolderError) -> Void
  ) throws(BackupFolderError) {
    var problem: BackupFolderError?
    let own = holders(of: version)
    for isSearching in [false, true] {
      for holder in isSearching ? conflictCopies(of: own, version.file) : own {
        if problem != nil { try again() }
        do throws(BackupFolderError) {
          return try read(holder, version.file, into: sink)
        } catch .interrupted {
          throw .interrupted
        } catch {
          problem = problem ?? error
        }
      }
    }
    throw problem ?? .file(.noSuchVersion)
  }

  /// Whether a copy that a sync program made of the version's object has its contents.
  ///
  /// The next change then writes the object again.
  public func hasWholeCopy(_ version: StoredVersion) -> Bool {
    let own = Holder(operation: version.operation.digest, namespace: version.namespace)
    return conflictCopies(of: [own], version.file).contains { copy in
      (try? read(copy, version.file) { _ in }) != nil
    }
  }

  /// The first copy of a version that can be read.
  ///
  /// - Throws: as ``readAnyCopy(_:again:into:)``.
  func readableCopy(of version: StoredVersion) throws(BackupFolderError) -> Holder {
    let own = holders(of: version)
    for isSearching in [false, true] {
      for holder in isSearching ? conflictCopies(of: own, version.file) : own {
        do throws(BackupFolderError) {
          try read(holder, version.file) { _ in }
          return holder
        } catch .interrupted {
          throw .interrupted
        } catch {
          continue
        }
      }
    }
    try read(version) { _ in }
    return own[0]
  }

  /// An operation that holds a version.
  struct Holder: Hashable {
    let operation: Digest
    let namespace: NamespaceID
    /// The name of a copy of its object; nil for the object itself.
    var copy: String?
  }

  /// Reads the contents of a version from one of its holders.
  func read(
    _ holder: Holder, _ file: FileID, into sink: (RawSpan) throws(BackupFolderError) -> Void
  ) throws(BackupFolderError) {
    try read(
      holder.operation, file, in: holder.namespace, fromCopy: holder.copy, into: sink)
  }

  /// The operation of a version, and then those of the file's versions with the same contents.
  ///
  /// The digest of the contents is a claim until they are read, and reading compares it.
  private func holders(of version: StoredVersion) -> [Holder] {
    let own = Holder(operation: version.operation.digest, namespace: version.namespace)
    return [own] + holders(version.file, version.content).filter { $0 != own }
  }

  private func holders(_ file: FileID, _ content: Digest) -> [Holder] {
    let rules = fileState.versions
    let here = (rules.places[file] ?? []).filter { !rules.isDropped[$0] }
      .map { rules.versions[$0] }
      .filter { $0.namespace == nil && $0.put.version.content == content }
      .map { Holder(operation: $0.operation.digest, namespace: id) }
    // One that is held back is another computer's claim, and reading it proves what it holds.
    let heldBack = rules.retired
      .filter { $0.namespace == nil && $0.put.fileID == file && $0.put.version.content == content }
      .map { Holder(operation: $0.operation.digest, namespace: id) }
    return here + heldBack + lineage.earlier.flatMap { $0.open.holders(file, content) }
  }

  /// Copies of the objects of some holders under names that sync programs gave them.
  ///
  /// Only those with the right size: reading proves which one is whole.
  private func conflictCopies(of holders: [Holder], _ file: FileID) -> [Holder] {
    guard let folders = try? objectFolders() else { return [] }
    var found: [Holder] = []
    for holder in holders {
      guard let version = try? reopen(holder.operation, file, in: holder.namespace).put.version,
        let object = version.object
      else { continue }
      for folder in folders {
        for copy in folder.conflictCopies(of: object, contents: version.size) {
          let named = Holder(
            operation: holder.operation, namespace: holder.namespace, copy: copy)
          if !found.contains(named) { found.append(named) }
        }
      }
    }
    return found
  }
}
