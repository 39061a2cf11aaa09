public import CSPP

extension OpenNamespace {
  /// The versions that this computer wrote last without the key and that do not count any more.
  ///
  /// Its own memory does not tell that they were removed or put aside.
  ///
  /// - Throws: as ``BackupFolder/localSilentWriters()`` and ``files()``.
  public func ownVersionsPutAside() throws(BackupFolderError) -> [FileID: Digest] {
    let folder = BackupFolder(
      path: namespace.folder.path, root: namespace.folder, settings: namespace.settings)
    let own = try folder.localSilentWriters().filter { $0.namespaceID == id }
    var found: [FileID: Digest] = own.reduce(into: [:]) { $0.merge($1.versions) { $1 } }
    if found.isEmpty { return found }
    for file in try files() {
      guard let last = found[file.id] else { continue }
      let isCounting = file.versions.contains { version in
        version.made == last && (version.standing == .live || version.standing == .late)
      }
      let isKnown = file.versions.contains { $0.made == last }
      if isCounting || !isKnown { found[file.id] = nil }
    }
    return found.filter { fileState.versions.places[$0.key] != nil }
  }
}
