internal import BackupFolder

/// What is to be known about the place of a backup: what carries it elsewhere,
/// and what speaks against it.
struct PlaceReport: Sendable {
  /// What carries it; nil: nothing that keybackup knows.
  let folder: SyncFolder?
  /// One sentence each, without a full stop.
  private(set) var warnings: [String] = []

  /// Looks at a folder that is there.
  ///
  /// - Parameters:
  ///   - path: as the person named it.
  ///   - known: the sync folders of this computer.
  ///   - mounts: what is mounted.
  init(_ path: String, known: KnownSyncFolders, mounts: MountTable = .current()) {
    let place = FileCheck.absolute(path) ?? path
    folder = known.carrying(place, mounts)
    if let mount = mounts.holding(place) { warn(mount) }
    guard let folder else {
      warnings.append(
        "no sync program carries \(ShellWord.quoted(path)) to another place, as far as can be seen: "
          + "until one does, it is the only copy")
      return
    }
    if let obstacle = folder.obstacle { warnings.append("\(folder.title): \(obstacle)") }
    if folder.engine == .syncthing { warn(IgnorePatterns(of: folder), place) }
  }

  private mutating func warn(_ mount: MountTable.Mount) {
    switch mount.type {
    case "tmpfs", "ramfs", "devtmpfs":
      warnings.append(
        "\(mount.point) is only in memory (\(mount.type)): it is gone when the computer restarts")
    case "overlay", "aufs", "fuse.fuse-overlayfs":
      warnings.append(
        "\(mount.point) is the layer of a container or a live system (\(mount.type)): it may be "
          + "gone with it")
    default:
      // What the system itself runs from does not come and go.
      guard mount.point != "/", BlockDevice(of: mount)?.isRemovable == true else { return }
      warnings.append(
        "\(mount.point) is a removable disk: it can be lost with what it holds, so keep a second "
          + "copy of it")
    }
  }

  private mutating func warn(_ patterns: IgnorePatterns?, _ place: String) {
    guard let patterns, let pattern = patterns.covering(place) else { return }
    warnings.append(
      "Syncthing ignores what the backup would write there: "
        + "\"\(PrintableText.clean(pattern))\" in \(patterns.file)")
  }
}
