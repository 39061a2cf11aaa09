internal import Glibc

/// Makes the name of a new file durable.
enum FolderSync {
  /// Syncs the folder of a file.
  ///
  /// - Parameter path: the file.
  /// - Returns: 0, or the code of `errno`.
  static func run(folderOf path: String) -> Int32 {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let name = parts.joined(separator: "/")
    let folder = parts.isEmpty ? "." : name.isEmpty ? "/" : name
    let directory = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { return errno }
    defer { close(directory) }
    return fsync(directory) == 0 ? 0 : errno
  }
}
