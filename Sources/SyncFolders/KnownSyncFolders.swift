internal import BackupFolder
internal import CLinux
package import CommandKit
internal import Glibc

/// The sync folders of this computer, by their real paths.
package struct KnownSyncFolders: Sendable {
  /// The folders in which a backup may be created.
  package private(set) var usable: [SyncFolder] = []
  /// The other folders, each with its ``SyncFolder/obstacle``.
  package private(set) var others: [SyncFolder] = []
  /// The folders that did not answer, about which nothing is known.
  package private(set) var silent: [SyncFolder] = []
  /// The folders that do not exist yet; files put there will be synchronised.
  private var absent: [SyncFolder] = []

  /// The time limit of a folder's answer, in seconds.
  private static let patience = 3.0

  /// Examines the folders named in the engines' files.
  package static func find(_ world: World) -> KnownSyncFolders {
    var known = KnownSyncFolders()
    var seen: Set<String> = []
    for var folder in SyncFolderSearch(world).named() {
      let path = folder.path
      guard let look = TimeLimit.result(within: patience, of: { Look(path) }) else {
        known.silent.append(folder)
        continue
      }
      guard let found = look.path, seen.insert(found).inserted else { continue }
      folder.path = found
      if look.isBroken {
        known.silent.append(folder)
        continue
      }
      guard look.isFolder else {
        known.absent.append(folder)
        continue
      }
      if !look.isWritable, folder.obstacle == nil { folder.obstacle = "it cannot be written" }
      if folder.obstacle == nil { known.usable.append(folder) } else { known.others.append(folder) }
    }
    return known
  }

  /// The engine that synchronises a path; of several, the one with the nearest folder.
  ///
  /// If there is none, a server that holds the file system.
  ///
  /// - Parameters:
  ///   - path: an absolute path without symbolic links; need not exist yet.
  ///   - mounts: the mounted file systems.
  /// - Returns: the engine's folder; nil if none is known.
  func carrying(_ path: String, _ mounts: MountTable) -> SyncFolder? {
    let folder = (usable + others + silent + absent).filter { mounts.contains($0.path, path) }
      .max { $0.path.utf8.count < $1.path.utf8.count }
    if let folder { return folder }
    guard let mount = mounts.holding(path), let engine = mount.engine else { return nil }
    return SyncFolder(engine: engine, path: mount.point, label: mount.source)
  }

  /// The places in these folders that have a backup, and what could not be searched, for a
  /// computer that knows none yet.
  package struct Backups: Sendable {
    package var found: [(place: String, folder: SyncFolder)] = []
    package var unsearched: [UnsearchedFolder] = []
  }

  /// Searches the folders themselves and those directly in them.
  package func backups() -> Backups {
    var all = Backups()
    for folder in usable + others {
      let path = folder.path
      let search = BackupSearch.run(path, itself: true)
      for missed in search.unsearched where !all.unsearched.contains(missed) {
        all.unsearched.append(missed)
      }
      for place in search.found {
        guard let known = all.found.firstIndex(where: { $0.place == place }) else {
          all.found.append((place, folder))
          continue
        }
        // One sync folder may lie in another: the inner one is named.
        if all.found[known].folder.path.utf8.count < path.utf8.count {
          all.found[known].folder = folder
        }
      }
    }
    all.unsearched += silent.map { UnsearchedFolder(path: $0.path, reason: .silent) }
    // A link to a backup that is found by its own path hides nothing.
    all.unsearched.removeAll { missed in all.found.contains { $0.place == missed.target } }
    return all
  }

  /// The properties of a path.
  private struct Look: Sendable {
    /// The path without symbolic links, whether or not it exists.
    let path: String?
    var isFolder = false
    var isWritable = false
    /// Whether nothing can be told about it, as for a mount whose server is gone.
    var isBroken = false

    init(_ path: String) {
      self.path = FileCheck.future(path)
      var status = stat()
      guard unsafe stat(path, &status) == 0 else {
        isBroken = [EACCES, EIO, ENOTCONN, ESTALE, ETIMEDOUT, EHOSTDOWN].contains(errno)
        return
      }
      guard status.st_mode & S_IFMT == S_IFDIR else { return }
      isFolder = true
      isWritable = unsafe access(path, W_OK | X_OK) == 0
    }
  }
}
