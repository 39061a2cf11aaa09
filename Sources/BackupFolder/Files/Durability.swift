internal import CLinux
internal import CSPP
internal import Glibc

extension SystemCall {
  /// Waits until an open file's bytes, or an open folder's names, are on the disk.
  ///
  /// After a failure they may never get there. The kernel forgets that it could not write them, so
  /// a retry would succeed and prove nothing.
  ///
  /// - Returns: 0 or `errno`.
  static func sync(_ descriptor: Int32) -> Int32 {
    retrying { fsync(descriptor) }.error
  }
}

extension Directory {
  /// Makes files that were created, renamed or removed in this folder durable.
  func sync() throws(BackupFolderError) {
    let code = SystemCall.sync(descriptor)
    // Some network file systems cannot sync a folder and report so. Nor can a folder be synced that
    // forbids listing.
    let cannot = [EINVAL, EOPNOTSUPP, ENOSYS, EBADF]
    if code != 0, !cannot.contains(code) { throw .system(code, path) }
  }

  /// Makes this folder's own name durable where that is possible.
  func syncParent() {
    let (parent, code) = SystemCall.retrying {
      unsafe keybackup_openat(descriptor, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    }
    if code != 0 { return }
    _ = SystemCall.sync(parent)
    close(parent)
  }

  /// Whether one call can make every file here durable.
  ///
  /// True only where syncfs(2) is known to write everything back and wait. A FUSE or network file
  /// system may answer without passing the call on.
  var canSyncAll: Bool {
    let ext4 = 0xEF53
    let btrfs = 0x9123_683E
    let xfs = 0x5846_5342
    let f2fs = 0xF2F5_2010
    return [ext4, btrfs, xfs, f2fs].contains(keybackup_file_system_type(descriptor))
  }

  /// Makes every file of this file system durable.
  func syncAll() throws(BackupFolderError) {
    let (_, code) = SystemCall.retrying { keybackup_sync_file_system(descriptor) }
    if code != 0 { throw .system(code, path) }
  }
}

extension Directory {
  /// Opens a folder by path; creates it and its parents, private to the user and durable.
  static func make(path: String) throws(BackupFolderError) -> Directory {
    do {
      return try Directory.open(path: path)
    } catch .noSuchFolder {
      let parts = path.split(separator: "/", omittingEmptySubsequences: true)
      var prefix = path.hasPrefix("/") ? "" : "."
      for part in parts {
        prefix += "/\(part)"
        let (_, code) = SystemCall.retrying { unsafe mkdir(prefix, 0o700) }
        guard code == 0 || code == EEXIST || code == EROFS else { throw .system(code, prefix) }
        if code == 0 { try Directory.open(path: prefix).syncParent() }
      }
      return try Directory.open(path: path)
    }
  }
}
