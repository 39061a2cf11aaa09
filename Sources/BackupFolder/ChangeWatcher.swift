internal import CSPP
internal import Glibc

/// Detects changes in a backup folder.
///
/// The kernel reports changes on local disks. It does not report changes that arrive over a network
/// or through a sync program's own file system. So callers must also look again after a while.
public final class ChangeWatcher {
  private let inotify: Int32

  /// Watches a folder and the namespaces in it now; later folders need a new watcher.
  ///
  /// - Parameter folder: the backup folder.
  public init(_ folder: BackupFolder) {
    inotify = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    // A remote folder is not worth the calls, each of which may block.
    guard inotify >= 0, folder.root.access == nil else { return }
    var left = 256
    watch(folder.root, depth: 5, &left)
  }

  deinit {
    if inotify >= 0 { close(inotify) }
  }

  /// Watches a folder and its subfolders that may be part of a backup.
  private func watch(_ folder: Directory, depth: Int, _ left: inout Int) {
    let events =
      UInt32(IN_CREATE) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE)
      | UInt32(IN_MOVED_FROM) | UInt32(IN_ATTRIB) | UInt32(IN_MODIFY)
    unsafe inotify_add_watch(inotify, "/proc/self/fd/\(folder.descriptor)", events)
    left -= 1
    guard depth > 0 else { return }
    // At the top, only the backup's own folder is of interest.
    let names =
      depth == 5 ? [FolderLayout.namespaces] : ((try? folder.names()) ?? [])
    for name in names where left > 0 && !name.hasSuffix(".json") {
      guard let below = try? folder.subdirectory(name) else { continue }
      watch(below, depth: depth - 1, &left)
    }
  }

  /// Whether something has changed since this watcher was made; does not wait.
  public func hasChanged() -> Bool {
    guard inotify >= 0 else { return false }
    var events = [UInt8](repeating: 0, count: 4096)
    return unsafe read(inotify, &events, events.count) > 0
  }
}
