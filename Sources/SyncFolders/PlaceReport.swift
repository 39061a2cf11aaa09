package import BackupFolder
internal import CommandKit
internal import CommandSupport

/// The properties of a backup's place: what synchronises it, and warnings about it.
package struct PlaceReport: Sendable {
  /// The folder that is synchronised; nil if keybackup knows none.
  package let folder: SyncFolder?
  /// The warnings, one sentence each, without a full stop.
  package private(set) var warnings: [String] = []

  /// Examines an existing folder.
  ///
  /// - Parameters:
  ///   - path: the path as the user gave it.
  ///   - known: the sync folders of this computer.
  ///   - mounts: the mounted file systems.
  package init(_ path: String, known: KnownSyncFolders, mounts: MountTable = .current()) {
    let place = FileCheck.absolute(path) ?? path
    folder = known.carrying(place, mounts)
    if let mount = mounts.holding(place) { warn(mount) }
    guard let folder else {
      warnings.append(
        "no sync program is known to carry \(ShellWord.quoted(path)) to another place: "
          + "until one does, it is the only copy")
      return
    }
    if let obstacle = folder.obstacle { warnings.append("\(folder.title): \(obstacle)") }
    if folder.engine == .syncthing { warn(IgnorePatterns(of: folder), place) }
  }

  private mutating func warn(_ mount: MountTable.Mount) {
    let point = ShellWord.quoted(mount.point)
    switch mount.type {
    case "tmpfs", "ramfs", "devtmpfs":
      warnings.append(
        "\(point) is only in memory (\(mount.type)): it is gone when the computer restarts")
    case "overlay", "aufs", "fuse.fuse-overlayfs":
      warnings.append(
        "\(point) is the layer of a container or a live system (\(mount.type)): it may be "
          + "gone with it")
    default:
      // Disks of the running system do not come and go.
      guard mount.point != "/", BlockDevice(of: mount)?.isRemovable == true else { return }
      warnings.append(
        "\(point) is a removable disk: it can be lost with what it holds, so keep a second "
          + "copy of it")
    }
  }

  private mutating func warn(_ patterns: IgnorePatterns?, _ place: String) {
    guard let patterns, let pattern = patterns.covering(place) else { return }
    warnings.append(
      "Syncthing ignores what the backup would write there: "
        + "\"\(PrintableText.name(pattern))\" in \(ShellWord.quoted(patterns.file))")
  }
}
