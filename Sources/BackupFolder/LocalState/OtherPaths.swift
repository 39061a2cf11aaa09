internal import CSPP
internal import SecretMemory

/// The memory of a namespace belongs to the namespace, by whatever path it is reached: a person moves the
/// folder to another sync program, mounts it, or copies it.
extension StateFolder {
  /// The memory of a namespace at another path.
  struct OtherPath {
    let folder: StateFolder
    let state: LocalState
    /// The path; nil where an older program wrote the memory and no run has recorded it since.
    let path: String?
  }

  /// The memories of a namespace at other paths.
  ///
  /// - Throws: as ``read(_:limit:header:_:)``: one that cannot be read may remember what is gone here.
  func otherPaths(of namespace: NamespaceID) throws(BackupFolderError) -> [OtherPath] {
    var found: [OtherPath] = []
    for folder in others {
      guard let state = try folder.ownState(of: namespace) else { continue }
      found.append(OtherPath(folder: folder, state: state, path: folder.rememberedPath()))
    }
    return found
  }

  /// The memories at other paths that cannot be read, of the namespaces that are in this folder.
  func unusableElsewhere() -> [BackupFolderError] {
    guard let root = surroundings?.folder,
      let all = try? root.subdirectory(FolderLayout.namespaces)
    else { return [] }
    var problems: [BackupFolderError] = []
    for folder in others {
      for id in (try? folder.namespaces()) ?? [] where all.holds(id.hex) {
        do throws(BackupFolderError) {
          _ = try folder.ownState(of: id)
        } catch {
          if error.isAboutMemory { problems.append(error) }
        }
      }
    }
    return problems
  }

  /// The memories from which this path takes what it has none of.
  ///
  /// Of several copies in use, this folder is the one of which all is here by the names of the files.
  /// If all of none is here, or the path of one is unknown, it lacks what any of them has.
  func origins(of namespace: NamespaceID) throws(BackupFolderError) -> [OtherPath] {
    try origins(of: namespace, among: otherPaths(of: namespace))
  }

  private func origins(of namespace: NamespaceID, among found: [OtherPath]) -> [OtherPath] {
    guard found.count > 1, found.allSatisfy({ $0.path != nil }),
      let claimed = claimedNames(of: namespace)
    else { return found }
    let whole = found.filter {
      !$0.state.operations.isEmpty && claimed.isSuperset(of: $0.state.operations)
    }
    return whole.max { $0.state.operations.count < $1.state.operations.count }.map { [$0] } ?? found
  }

  /// The state of a namespace by the memory of other paths; empty where they have none.
  ///
  /// A loss that was accepted for one copy is not accepted for this one, where another path remembers
  /// what was lost.
  func inheritedState(of namespace: NamespaceID) throws(BackupFolderError) -> LocalState {
    let all = try otherPaths(of: namespace)
    var state = origins(of: namespace, among: all).reduce(into: LocalState()) {
      $0.inherit($1.state)
    }
    for other in all {
      state.forgotten = state.forgotten.subtracting(other.state.operations)
    }
    return state
  }

  /// The state folders of other paths.
  var others: [StateFolder] {
    guard let (folder, all) = surroundings, let names = try? all.names() else { return [] }
    let here = Self.name(of: folder)
    return names.filter { $0 != here }.compactMap { name in
      (try? all.subdirectory(name)).map { StateFolder(directory: $0) }
    }
  }

  /// Saves here what was read at other paths until now; the caller holds the lock.
  func carryOver(_ namespace: NamespaceID) throws(BackupFolderError) {
    if try directory.holds(namespace.hex) { return }
    if try !origins(of: namespace).isEmpty { try save(slots(of: namespace), of: namespace) }
    let files = try files(of: namespace)
    if files != FileMemory() { try save(files, of: namespace) }
  }

  private func claimedNames(of namespace: NamespaceID) -> OperationNames? {
    guard let root = surroundings?.folder,
      let all = try? root.subdirectory(FolderLayout.namespaces),
      let own = try? all.subdirectory(namespace.hex)?.subdirectory(FolderLayout.ownFolder),
      let logs = try? own.subdirectory(FolderLayout.logFolder)
    else { return nil }
    return (try? LogListing(logs, isTolerant: true))?.claimedNames
  }
}

/// The file with the path, for words and for a look at what is there now.
extension StateFolder {
  private static let pathName = "path"
  private static let pathHeader = "keybackup-path 1"

  /// Records the path; the caller holds the lock.
  func rememberPath() throws(BackupFolderError) {
    guard let folder = surroundings?.folder else { return }
    let path = folder.canonicalPath()
    if path == rememberedPath() { return }
    let lines = [Self.pathHeader, "path \(Hex.string(Array(path.utf8)))", "end", ""]
    try replace(Self.pathName, with: Array(lines.joined(separator: "\n").utf8))
  }

  /// The path; nil where none was recorded.
  func rememberedPath() -> String? {
    let found = try? read(Self.pathName, limit: 1 << 16, header: Self.pathHeader) { bytes in
      var path: String?
      let isWhole = StateLines.read(bytes, header: "keybackup-path 1") { line in
        guard line.starts(with: "path ") else { return false }
        let digits = line.extracting(droppingFirst: 5)
        path = unsafe Hex.decode(digits.bytes).flatMap { String(validating: $0, as: UTF8.self) }
        return path != nil
      }
      return isWhole ? path : nil
    }
    return found ?? nil
  }
}

extension LocalState {
  /// Adds what another path remembers, but for its writer: each path has its own.
  fileprivate mutating func inherit(_ other: LocalState) {
    isInherited = true
    operations.formUnion(other.operations)
    accepted.formUnion(other.accepted)
    forgotten.formUnion(other.forgotten)
    acceptedAt = [acceptedAt, other.acceptedAt].compactMap(\.self).max()
    movedTo = movedTo ?? other.movedTo
    isTrusted = isTrusted || other.isTrusted
    earlier.formUnion(other.earlier)
    rotatingFrom = rotatingFrom ?? other.rotatingFrom
    rotatingWriters.formUnion(other.rotatingWriters)
  }
}
