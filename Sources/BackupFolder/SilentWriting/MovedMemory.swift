internal import CSPP

extension BackupFolder {
  /// A memory of this computer as a silent writer of a namespace here, for a folder at another place.
  public struct MovedMemory: Equatable, Sendable {
    /// The folder with the memory.
    public let path: String
    /// Where it belongs if the backup's folder was moved.
    public let target: String
  }

  /// The memory in which this computer is a silent writer of a namespace here, at another place.
  ///
  /// Nil if it is one here already, or there is none, or several, or if the backup is still at the other
  /// place: then this folder is a copy.
  /// A computer remembers each folder by its path. After it was moved, a person knows whether this is
  /// the same folder or a copy: two copies must not go on with one memory.
  public func movedMemory() -> MovedMemory? {
    guard let own = try? localSilentWriters(), own.isEmpty,
      let all = try? Directory.open(path: settings.stateFolder).subdirectory("memory"),
      let names = try? all.names().sorted(),
      let listed = try? root.subdirectory(FolderLayout.namespaces)?.names()
    else { return nil }
    let here = StateFolder.name(of: root)
    let present = Set(listed.compactMap { NamespaceID(hex: $0) })
    let found = names.filter { name in
      guard name != here, let memory = try? all.subdirectory(name),
        let silent = try? memory.subdirectory(SilentFolder.name),
        let states = try? SilentFolder(state: StateFolder(directory: silent)).states()
      else { return false }
      return states.contains { $0.grant.map { present.contains($0.namespaceID) } ?? false }
    }
    guard found.count == 1, let memory = try? all.subdirectory(found[0]),
      !isCopy(of: StateFolder(directory: memory).rememberedPath(), present)
    else { return nil }
    return MovedMemory(path: "\(all.path)/\(found[0])", target: "\(all.path)/\(here)")
  }

  /// Whether another folder, at a remembered path, has one of the namespaces, too.
  private func isCopy(of path: String?, _ present: Set<NamespaceID>) -> Bool {
    guard let path, let other = try? Directory.open(path: path, watch: settings.watch),
      other.canonicalPath() != root.canonicalPath(),
      let all = try? other.subdirectory(FolderLayout.namespaces)
    else { return false }
    return present.contains { all.holds($0.hex) }
  }
}
