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
  ///
  /// They are the folders themselves and those directly in them.
  func backups() -> [(place: String, folder: SyncFolder)] {
    var found: [(place: String, folder: SyncFolder)] = []
    for folder in usable + others {
      let path = folder.path
      var places = folder.places.filter { place in
        TimeLimit.result(within: Self.patience, of: { Self.holdsNamespace(place) }) == true
      }
      let below = TimeLimit.result(within: Self.patience, of: { Self.backups(below: path) }) ?? []
      places += below.filter { !places.contains($0) }
      for place in places {
        // One sync folder may lie in another: the inner one is named.
        let known = found.firstIndex { $0.place == place }
        if let known, found[known].folder.path.utf8.count >= path.utf8.count { continue }
        if let known { found[known].folder = folder } else { found.append((place, folder)) }
      }
    }
    return found
  }

  /// The most folders of a sync folder that are looked into.
  private static let mostFolders = 1000
  /// Seconds for them: what was found until then counts.
  private static let patienceBelow = 2.0

  /// The folders directly in a sync folder that have a backup.
  ///
  /// Folders are listed and no file is read, so no sync program downloads one.
  static func backups(below path: String) -> [String] {
    let end = ContinuousClock.now + .seconds(patienceBelow)
    var found: [String] = []
    for name in ForeignFile.names(in: path, most: mostFolders) where !name.hasPrefix(".") {
      if ContinuousClock.now > end { break }
      let place = path + "/" + name
      var status = stat()
      // A link leads elsewhere, which is not synchronised.
      guard unsafe lstat(place, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
      if holdsNamespace(place) { found.append(place) }
    }
    return found
  }

  /// Whether a namespace is there, complete or not.
  static func holdsNamespace(_ place: String) -> Bool {
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
