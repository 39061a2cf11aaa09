internal import CLinux
internal import Glibc

/// A file of the backup, about which an engine is asked.
package struct SyncedFile: Sendable, Equatable {
  /// The absolute path.
  package var path: String
  /// The path relative to the listed folder.
  package var name: String
  package var size: Int
  /// The time in seconds and nanoseconds since 1970.
  package var modified: (seconds: Int, nanoseconds: Int)

  /// The limit, more files than in a backup of a million wallets.
  private static let most = 4_000_000

  /// The files of a namespace; nil when it cannot be listed completely.
  ///
  /// Files that keybackup is currently writing are omitted.
  package static func list(_ folder: String) -> [SyncedFile]? {
    var files: [SyncedFile] = []
    guard add(folder, "", depth: 6, to: &files) else { return nil }
    return files
  }

  private static func add(
    _ folder: String, _ prefix: String, depth: Int, to files: inout [SyncedFile]
  ) -> Bool {
    guard depth > 0, let stream = unsafe opendir(folder) else { return false }
    defer { unsafe closedir(stream) }
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else { return errno == 0 }
      let name = unsafe String(cString: keybackup_entry_name(entry))
      if name == "." || name == ".." || name.hasPrefix(".keybackup-tmp-") { continue }
      let path = folder + "/" + name
      var status = stat()
      guard unsafe lstat(path, &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        guard add(path, prefix + name + "/", depth: depth - 1, to: &files) else { return false }
      case S_IFREG:
        guard files.count < most else { return false }
        files.append(
          SyncedFile(
            path: path, name: prefix + name, size: Int(status.st_size),
            modified: (Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec))))
      default: continue
      }
    }
  }

  package static func == (left: SyncedFile, right: SyncedFile) -> Bool {
    left.path == right.path && left.size == right.size && left.modified == right.modified
  }
}
