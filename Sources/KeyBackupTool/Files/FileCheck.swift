internal import Glibc

/// Small questions about paths the person named.
enum FileCheck {
  /// Whether anything is at `path`.
  static func exists(_ path: String) -> Bool {
    unsafe access(path, F_OK) == 0
  }

  /// Whether a regular file is at `path`, so that what was read stays there.
  static func isFile(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Removes a file, if it is there.
  static func remove(_ path: String) { unsafe unlink(path) }

  /// The path from the root, without symbolic links; nil when it leads
  /// nowhere.
  static func absolute(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// Refuses a folder that takes no files, before a credential is made that
  /// would then be of no use.
  ///
  /// - Throws: `permission-denied`, `cannot-create` for a read-only file system.
  static func requireWritable(_ path: String) throws(UserMessage) {
    guard unsafe access(path, W_OK | X_OK) != 0 else { return }
    throw UserMessage(
      errno == EACCES || errno == EPERM
        ? .permissionDenied : errno == EROFS ? .cannotCreate : .io,
      "\(path) cannot be written: \(systemText(errno))",
      hint: "check the permissions of the folder and of its file system")
  }

  /// Where a file is or would be: the nearest folder of its path that is there,
  /// from the root and without symbolic links; nil when there is none.
  static func place(_ path: String) -> String? {
    var existing = path
    while absolute(existing) == nil, let above = parent(existing) { existing = above }
    return absolute(existing)
  }

  /// The path one step up; nil for the root and for ".".
  private static func parent(_ path: String) -> String? {
    var steps = path
    while steps.count > 1, steps.hasSuffix("/") { steps.removeLast() }
    guard steps != "/", steps != "." else { return nil }
    guard let slash = steps.lastIndex(of: "/") else { return "." }
    return slash == steps.startIndex ? "/" : String(steps[..<slash])
  }
}
