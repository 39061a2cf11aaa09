internal import BackupFolder
package import CLinux
internal import CommandKit
internal import Glibc
internal import SyncFolders

/// The state of a watched file at a moment: two that are equal have the same content, as far as the
/// file system tells.
package struct WatchedState: Equatable, Sendable {
  private var device: UInt64
  private var inode: UInt64
  /// The size in bytes.
  package private(set) var size: Int64
  /// The time of the last change of the contents: seconds and nanoseconds.
  package private(set) var modified: [Int]
  private var changed: [Int]
  /// Whether it is a file, not a folder or a device.
  package private(set) var isRegular: Bool
  /// Whether it was deleted and only a mount, or a descriptor, still leads to it.
  private(set) var isDead: Bool

  /// Looks at a file; nil if there is none that can be looked at.
  ///
  /// - Parameter path: its path; links are followed.
  package init?(_ path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
    if isDead { isDead = Self.isLost(path, status.st_dev) }
  }

  /// The folder on the way to a path that was deleted and that only a mount still shows; nil: there is
  /// none.
  static func deadFolder(onWayTo path: String) -> String? {
    var place = path[...]
    while let slash = place.lastIndex(of: "/"), slash > place.startIndex {
      place = place[..<slash]
      var status = stat()
      guard unsafe stat(String(place), &status) == 0 else { continue }
      return status.st_nlink == 0 && isLost(String(place), status.st_dev)
        ? String(place) : nil
    }
    return nil
  }

  /// Whether something without a link was deleted: some file systems of programs count no links at all.
  private static func isLost(_ path: String, _ device: dev_t) -> Bool {
    let mounts = MountTable.current()
    let number = BlockDevice.number(device)
    guard mounts.all.contains(where: { $0.device == number && MountKind.isRemote($0.type) })
    else { return true }
    return mounts.holding(FileCheck.absolute(path) ?? path)?.root.hasSuffix("//deleted") ?? false
  }

  /// Takes what the system says of a file.
  package init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    isRegular = status.st_mode & S_IFMT == S_IFREG
    isDead = status.st_nlink == 0
  }

  /// Whether a file with this state may have other contents than one with another state.
  ///
  /// Its device and number do not count: some file systems give a file another number every time.
  func mayDiffer(from other: WatchedState) -> Bool {
    size != other.size || modified != other.modified || changed != other.changed
  }

  /// The time since the last change by the computer's clock; zero where that is in the future.
  package var age: Duration {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    let seconds = now.tv_sec - max(modified[0], changed[0])
    return seconds > 0 ? .seconds(seconds - 1) : .zero
  }
}
