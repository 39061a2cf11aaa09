// This folder is for all namespaces of a folder, before one is opened: making, listing,
// choosing, checking without a key. No wallet is changed here. What lies in the open is a
// claim: nothing here trusts it further than what this computer remembers.

public import CSPP

extension BackupFolder {
  /// The namespaces here that hold at least one file, in order.
  ///
  /// - Throws: a listing that fails; that is never "none".
  public func namespaces() throws(BackupFolderError) -> [NamespaceID] {
    guard let all = try root.subdirectory(FolderLayout.namespaces) else { return [] }
    var found: [NamespaceID] = []
    for name in try all.names() {
      guard let id = NamespaceID(hex: name) else { continue }
      do throws(BackupFolderError) {
        guard let namespace = try all.readableSubdirectory(name),
          try namespace.holdsAnyFile(depth: 4)
        else { continue }
      } catch {
        // It is there, and whoever opens it is told why that does not work.
        if error == .interrupted { throw error }
      }
      found.append(id)
    }
    return found
  }

  /// Namespaces of this folder that this computer knew and that are gone.
  ///
  /// - Throws: a listing that fails.
  public func vanishedNamespaces() throws(BackupFolderError) -> [NamespaceID] {
    guard
      let state = try? StateFolder(path: settings.stateFolder, folder: root, make: false)
    else { return [] }
    let here = try Set(namespaces())
    var gone: [NamespaceID] = []
    for id in try state.namespaces() where !here.contains(id) {
      if state.knows(id), state.readableMemory(of: id).rotatingFrom == nil { gone.append(id) }
    }
    return gone
  }

  /// Those of them whose place the namespace that is used does not take.
  ///
  /// One that it follows may be gone: a person may delete that. Its log says which those are,
  /// and what this computer remembers, nothing else.
  ///
  /// - Parameters:
  ///   - id: the namespace that is used.
  ///   - followed: those that its log follows, as far as it was opened.
  /// - Returns: those that are missed, in order.
  /// - Throws: a listing that fails.
  public func vanishedNamespaces(
    besides id: NamespaceID, following followed: Set<NamespaceID> = []
  ) throws(BackupFolderError) -> [NamespaceID] {
    let gone = try vanishedNamespaces()
    if gone.isEmpty { return [] }
    let state = try StateFolder(path: settings.stateFolder, folder: root, make: false)
    let behind = state.readableMemory(of: id).earlier.union(followed).union([id])
    var left: [NamespaceID] = []
    for start in gone {
      var here = start
      var passed: Set<NamespaceID> = []
      while !behind.contains(here), passed.insert(here).inserted,
        let next = state.readableMemory(of: here).movedTo
      {
        here = next
      }
      if !behind.contains(here) { left.append(start) }
    }
    return left
  }

  /// One namespace.
  ///
  /// - Parameter id: which; nil when there is only one.
  /// - Returns: the namespace.
  /// - Throws: ``BackupFolderError/noNamespace(path:)``,
  ///   ``BackupFolderError/severalNamespaces(_:)``,
  ///   ``BackupFolderError/incomplete(path:)`` when there are folders without
  ///   a file in them, or when this computer knew a namespace that is gone: not
  ///   yet synchronised.
  public func namespace(_ id: NamespaceID? = nil) throws(BackupFolderError) -> Namespace {
    let all = try root.subdirectory(FolderLayout.namespaces)
    let found = id == nil ? try candidates().meant : try namespaces()
    if id == nil, found.count > 1 { throw .severalNamespaces(found) }
    if let all, let id = id ?? found.first,
      let directory = try all.readableSubdirectory(id.hex), found.contains(id)
    {
      return Namespace(id: id, directory: directory, settings: settings, folder: root)
    }
    let awaited = try all?.names().contains { NamespaceID(hex: $0) != nil } ?? false
    if id == nil ? awaited : try vanishedNamespaces().contains(where: { $0 == id }) {
      throw .incomplete(path: "\(path)/\(FolderLayout.namespaces)")
    }
    throw .noNamespace(path: path)
  }
}

extension Directory {
  /// Whether a file lies here or in a folder below; what this program staged
  /// and never placed does not count.
  func holdsAnyFile(depth: Int) throws(BackupFolderError) -> Bool {
    var names = try NameStream(self)
    while let name = try names.next({ LogFile.isTemporary($0) ? nil : String(repairing: $0) }) {
      guard let name else { continue }
      do {
        guard depth > 0, let folder = try subdirectory(name) else { return true }
        if try folder.holdsAnyFile(depth: depth - 1) { return true }
      } catch .interrupted {
        throw .interrupted
      } catch {
        // Something is there, be it unreadable.
        return true
      }
    }
    return false
  }
}
