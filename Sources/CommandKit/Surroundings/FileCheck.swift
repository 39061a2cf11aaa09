internal import CLinux
internal import CommandSupport
internal import FoundationEssentials
internal import Glibc

/// Checks paths that the user named.
package enum FileCheck {
  /// Whether anything is at `path`.
  package static func exists(_ path: String) -> Bool {
    unsafe access(path, F_OK) == 0
  }

  /// Whether a regular file is at `path`, so that its contents stay there after reading.
  package static func isFile(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether a folder is at `path`.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether others than the owner may read or change a file.
  package static func isOpenToOthers(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & 0o077 != 0
  }

  /// Whether something belongs to root, which is somebody else; of what is not there, the folder that
  /// would hold it.
  package static func isOfRoot(_ path: String) -> Bool {
    var place = path
    var status = stat()
    while unsafe stat(place, &status) != 0 {
      guard let slash = place.lastIndex(of: "/"), slash > place.startIndex else { return false }
      place = String(place[..<slash])
    }
    return status.st_uid == 0 && geteuid() != 0
  }

  /// Advice about a path that begins with `~` and is not there; nil: it is another path.
  package static func unexpanded(_ path: String) -> String? {
    guard path.hasPrefix("~"), !exists(path) else { return nil }
    return "the shell did not expand ~: write the whole path, or begin it with ~/ without quotes"
  }

  /// Removes a file if it exists.
  package static func remove(_ path: String) { unsafe unlink(path) }

  /// The absolute path without symbolic links; nil when nothing is there, or it is not UTF-8.
  package static func absolute(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(validatingCString: resolved)
  }

  /// Throws if no text is the path of a place, as in a folder whose name is not UTF-8: it could not be
  /// remembered.
  ///
  /// - Parameter path: as the person gave it; need not exist.
  /// - Throws: `usage`.
  package static func requireText(_ path: String) throws(UserMessage) {
    var existing = path
    while !existing.isEmpty, !exists(existing) {
      let slash = existing.utf8.lastIndex(of: UInt8(ascii: "/"))
      existing = slash.map { String(existing[..<$0]) } ?? ""
    }
    if existing.isEmpty { existing = path.hasPrefix("/") ? "/" : "." }
    guard let resolved = unsafe realpath(existing, nil) else { return }
    defer { unsafe free(resolved) }
    guard unsafe String(validatingCString: resolved) == nil else { return }
    throw UserMessage(
      .usage,
      "the whole path of \(ShellWord.quoted(path)) is not UTF-8, so it cannot be remembered; nothing "
        + "was done",
      hint: "rename the folder on the way to it whose name is not UTF-8")
  }

  /// The absolute path with its symbolic links, which may be set to something else later.
  package static func unresolved(_ path: String) -> String {
    let whole =
      path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    let parts = whole.split(separator: "/").filter { $0 != "." }
    // Only the system knows what `..` means behind a link.
    guard !parts.contains("..") else { return future(path) ?? whole }
    return "/" + parts.joined(separator: "/")
  }

  /// Throws if a folder accepts no files, before a credential is created that would then be
  /// useless.
  ///
  /// - Throws: `permission-denied`, `cannot-create` for a read-only file system.
  package static func requireWritable(_ path: String) throws(UserMessage) {
    guard unsafe access(path, W_OK | X_OK) != 0 else { return }
    let reason = errno
    throw UserMessage(
      reason == EACCES || reason == EPERM
        ? .permissionDenied : reason == EROFS ? .cannotCreate : .io,
      "\(ShellWord.quoted(path)) cannot be written: \(systemText(reason))",
      hint: "check the permissions of the folder and of its file system")
  }

  /// Throws if a folder could not be made or written; the lowest one that is there counts.
  ///
  /// - Parameter path: begins with a slash.
  /// - Throws: as ``requireWritable(_:)``.
  package static func requireWritable(future path: String) throws(UserMessage) {
    var existing = path
    while !existing.isEmpty, !exists(existing), let slash = existing.lastIndex(of: "/") {
      existing = String(existing[..<slash])
    }
    try requireWritable(existing.isEmpty ? "/" : existing)
  }

  /// Throws if a folder is on a file system that takes no changes, before anybody is asked for a key.
  ///
  /// - Throws: `io`.
  package static func refuseReadOnly(_ path: String) throws(UserMessage) {
    guard unsafe access(path, W_OK) != 0, errno == EROFS else { return }
    throw UserMessage(
      .io, "\(ShellWord.quoted(path)) is on a read-only file system",
      hint: "nothing was changed; mount it for writing, or look for a switch on the stick")
  }

  /// The absolute path of a file or folder that may not exist yet, with the existing symbolic links
  /// resolved.
  ///
  /// - Parameters:
  ///   - path: the path; need not exist.
  ///   - links: how many links may lead to something that does not exist.
  /// - Returns: nil for an empty path, and when the current folder no longer exists.
  package static func future(_ path: String, links: Int = 8) -> String? {
    if let there = absolute(path) { return there }
    let slash = UInt8(ascii: "/")
    guard let first = path.utf8.first, var place = absolute(first == slash ? "/" : ".") else {
      return nil
    }
    for step in path.utf8.split(separator: slash) {
      let name = String(Substring(step))
      let next = (place == "/" ? "" : place) + "/" + name
      if let there = absolute(next) {
        place = there
      } else if name == ".." {
        place = place.utf8.lastIndex(of: slash).map { String(place[..<$0]) } ?? ""
        if place.isEmpty { place = "/" }
      } else if links > 0,
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: next)
      {
        let whole = target.utf8.first == slash ? target : place + "/" + target
        place = future(whole, links: links - 1) ?? next
      } else if name != "." {
        place = next
      }
    }
    return place
  }
}
