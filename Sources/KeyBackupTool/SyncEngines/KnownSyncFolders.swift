internal import BackupFolder
internal import CLinux
internal import CSPP
internal import FoundationEssentials
internal import Glibc

/// The sync folders of this computer, by their real paths.
struct KnownSyncFolders: Sendable {
  /// The folders in which a backup may be created.
  private(set) var usable: [SyncFolder] = []
  /// The other folders, each with its ``SyncFolder/obstacle``.
  private(set) var others: [SyncFolder] = []
  /// The folders that did not answer in time, about which nothing is known.
  private(set) var silent: [SyncFolder] = []
  /// The folders that do not exist yet; files put there will be synchronised.
  private var absent: [SyncFolder] = []

  /// The time limit of a folder's answer, in seconds.
  private static let patience = 3.0

  /// Examines the folders named in the engines' files.
  static func find(_ world: World) -> KnownSyncFolders {
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

  /// The places in these folders that have a backup, for a computer that knows none yet.
  func backups() -> [(place: String, folder: SyncFolder)] {
    var found: [(String, SyncFolder)] = []
    for folder in usable + others {
      for place in folder.places
      where TimeLimit.result(within: Self.patience, of: { Self.holdsNamespace(place) }) == true {
        found.append((place, folder))
      }
    }
    return found
  }

  /// Whether a namespace is there, complete or not.
  private static func holdsNamespace(_ place: String) -> Bool {
    ForeignFile.names(in: place + "/" + FolderLayout.namespaces)
      .contains { NamespaceID(hex: $0) != nil }
  }

  /// The properties of a path.
  private struct Look: Sendable {
    /// The path without symbolic links, whether or not it exists.
    let path: String?
    var isFolder = false
    var isWritable = false

    init(_ path: String) {
      self.path = FileCheck.future(path)
      var status = stat()
      guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
      isFolder = true
      isWritable = unsafe access(path, W_OK | X_OK) == 0
    }
  }
}
