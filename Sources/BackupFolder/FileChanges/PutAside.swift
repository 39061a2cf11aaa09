public import CSPP

/// A version that this computer wrote last without the key, and that does not count any more.
public struct OwnVersionPutAside: Equatable, Sendable {
  /// The operation with the version.
  public let operation: Digest
  /// Whether no other version of the file counts either.
  public let isRemoved: Bool
}

extension OpenNamespace {
  /// The versions that this computer wrote last without the key and that do not count any more.
  ///
  /// Its memory as a silent writer does not tell that they were removed or put aside.
  ///
  /// - Throws: as ``BackupFolder/localSilentWriters()`` and ``files()``.
  public func ownVersionsPutAside() throws(BackupFolderError) -> [FileID: OwnVersionPutAside] {
    let folder = BackupFolder(
      path: namespace.folder.path, root: namespace.folder, settings: namespace.settings)
    let here = predecessors.union([id])
    let own = try folder.localSilentWriters().filter {
      $0.namespaceID.map(here.contains) ?? false
    }
    let last: [FileID: Digest] = own.reduce(into: [:]) { $0.merge($1.versions) { $1 } }
    if last.isEmpty { return [:] }
    var found: [FileID: OwnVersionPutAside] = [:]
    for file in try files() {
      guard let operation = last[file.id] else { continue }
      let copies = file.versions.filter { $0.made == operation }
      let isPutAside = copies.allSatisfy { $0.standing == .replaced || $0.standing == .removed }
      if copies.isEmpty || !isPutAside { continue }
      found[file.id] = OwnVersionPutAside(operation: operation, isRemoved: file.isRemoved)
    }
    return found
  }
}
