// This folder is for all namespaces of a folder before one is opened: creating, listing, selecting
// and checking them without a key. No wallet is changed here. Unsealed contents are only claims:
// nothing here trusts them beyond what this computer remembers.

public import CSPP

extension BackupFolder {
  /// The namespaces here that hold at least one file, in order.
  ///
  /// - Throws: if a listing fails; a failure never looks like "none".
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
        // The namespace exists; opening it reports why it cannot be read.
        if error == .interrupted { throw error }
      }
      found.append(id)
    }
    return found
  }

  /// The namespaces of this folder that this computer knew and that are missing.
  ///
  /// - Throws: if a listing fails.
  public func vanishedNamespaces() throws(BackupFolderError) -> [NamespaceID] {
    guard
      let state = try? StateFolder(path: settings.stateFolder, folder: root, make: false)
    else { return [] }
    let here = try Set(namespaces())
    var gone: [NamespaceID] = []
    for id in try state.namespaces() where !here.contains(id) {
      if state.knows(id), state.readableMemory(of: id).rotatingFrom == nil { gone.append(id) }
    }
    // A computer that writes without the key has opened nothing, and knows where it wrote.
    let written = ((try? localSilentWriters()) ?? []).filter { $0.last != nil }
    let known = Set(written.compactMap(\.namespaceID)).subtracting(here).subtracting(gone)
    return gone + known.sorted()
  }

  /// The missing namespaces that the used one does not replace.
  ///
  /// The user may delete a namespace that the used one follows. Only its log and the local state
  /// tell which those are.
  ///
  /// - Parameters:
  ///   - id: the namespace that is used.
  ///   - followed: the namespaces that its log follows, as far as it was opened.
  /// - Returns: the missing namespaces, in order.
  /// - Throws: if a listing fails.
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

  /// Opens the folder of one namespace.
  ///
  /// - Parameter id: the namespace; nil when there is only one.
  /// - Returns: the namespace.
  /// - Throws: ``BackupFolderError/noNamespace(path:)``,
  ///   ``BackupFolderError/severalNamespaces(_:)``. ``BackupFolderError/incomplete(path:)`` when
  ///   there are folders without a file in them, or when this computer knew a namespace that is
  ///   missing: not yet synchronised.
  public func namespace(_ id: NamespaceID? = nil) throws(BackupFolderError) -> Namespace {
    let all = try root.subdirectory(FolderLayout.namespaces)
    let found = id == nil ? try candidates().meant : try namespaces()
    if id == nil, found.count > 1 { throw .severalNamespaces(found) }
    if let all, let id = id ?? found.first,
      let directory = try all.readableSubdirectory(id.hex), found.contains(id)
    {
      return Namespace(id: id, directory: directory, settings: settings, folder: root)
    }
    let begun = try all?.names().compactMap { NamespaceID(hex: $0) } ?? []
    let awaited = try id == nil ? begun : begun + vanishedNamespaces()
    if id.map(awaited.contains) ?? !awaited.isEmpty {
      throw .incomplete(path: "\(path)/\(FolderLayout.namespaces)")
    }
    throw .noNamespace(path: path)
  }
}

extension Directory {
  /// Whether a file that can be ours is here or in a folder below.
  ///
  /// Files staged by this program and never placed are ignored, and those of other programs.
  func holdsAnyFile(depth: Int) throws(BackupFolderError) -> Bool {
    var names = try NameStream(self)
    while let name = try names.next({ LogFile.isTemporary($0) ? nil : String(repairing: $0) }) {
      guard let name else { continue }
      let isOurs = OwnName.canBeOurs(name)
      do {
        guard depth > 0, let folder = try readableSubdirectory(name) else {
          if isOurs { return true }
          continue
        }
        if try folder.holdsAnyFile(depth: depth - 1) { return true }
      } catch .interrupted {
        throw .interrupted
      } catch {
        // Something is here, even if it cannot be read.
        if isOurs || FolderLayout.folders.contains(name) { return true }
      }
    }
    return false
  }
}
