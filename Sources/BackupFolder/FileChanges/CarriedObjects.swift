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
    if lineage.earlier.isEmpty { return [] }
    let carried = fileState.versions.kept.filter { version in
      version.namespace == nil && version.put.version.object != nil
        && (file == nil || version.put.fileID == file) && !isHere(version.made)
    }
    if carried.isEmpty { return [] }
    let own = (try? namespace.objects()).flatMap { $0 }
    return carried.map(\.put.version).filter { version in
      guard let object = version.object else { return false }
      return own?.state(of: object, contents: version.size) != .here
    }
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
      version.object.map { folders.state(of: $0, contents: version.size) == .here } ?? false
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
    for version in versionsWithoutContents(of: file)
    where try copyObject(of: version, into: namespace, run: run) == nil {
      lineage.copiedContents += 1
    }
  }
}
