internal import BackupFolder
internal import CLinux
internal import CommandSupport
internal import Glibc
package import SecretMemory

/// A file that a command creates for the user: never over an existing one, never readable by
/// others, and whole when it has its name.
package enum OutputFile {
  private static func advice(_ path: String, _ reason: Int32) -> String {
    if reason == EEXIST { return "it exists and is never overwritten; choose another name" }
    guard reason == ENOENT else { return "choose another place" }
    return FileCheck.unexpanded(path)
      ?? "its folder is not there: check the path, or make the folder first"
  }

  private static func cannotCreate(_ path: String, _ reason: Int32) -> UserMessage {
    UserMessage(
      .cannotCreate, "\(ShellWord.quoted(path)) cannot be created: \(systemText(reason))",
      hint: advice(path, reason))
  }

  /// Throws if something is already at a path, or its folder is not there, before a person is asked
  /// for anything; creating the file checks again.
  ///
  /// - Throws: `cannot-create`.
  package static func requirePlace(_ path: String?) throws(UserMessage) {
    try requireFree(path)
    guard let path else { return }
    let folder = Place(path).folder
    guard !FileCheck.exists(folder) else { return }
    throw cannotCreate(path, ENOENT)
  }

  /// Throws if something is already at a path, before a key is touched for it; creating the file
  /// checks again.
  ///
  /// - Throws: `cannot-create`.
  package static func requireFree(_ path: String?) throws(UserMessage) {
    var status = stat()
    guard let path, unsafe lstat(path, &status) == 0 else { return }
    throw cannotCreate(path, EEXIST)
  }

  /// Throws if no file can be created at a path; leaves nothing there.
  ///
  /// - Throws: `cannot-create`, `io`.
  package static func requireCreatable(_ path: String) throws(UserMessage) {
    try requireFree(path)
    try inFolder(of: path) { (folder, name) throws(BackupFolderError) in
      _ = try folder.write(SecretBytes(zeroed: 0), as: [name])
      try folder.requireWritten()
    }
  }

  /// Creates a file and writes all its contents durably.
  ///
  /// - Parameters:
  ///   - bytes: its contents.
  ///   - path: its path, where nothing may exist.
  ///   - run: says at its end that others can read the file.
  /// - Throws: `cannot-create`, `io`; no file is left then.
  package static func write(
    _ bytes: borrowing SecretBytes, to path: String, _ run: Run
  ) throws(UserMessage) {
    try requireFree(path)
    var isTaken = false
    try inFolder(of: path) { (folder, name) throws(BackupFolderError) in
      _ = try folder.write(bytes, as: [name])
      try folder.place()
      try folder.requireWritten()
      isTaken = !folder.taken.isEmpty
    }
    if isTaken { throw cannotCreate(path, EEXIST) }
    KeptPermissions.check(path, at: path, run)
  }

  /// Whether an earlier run has written a file: a private one with exactly these contents, which
  /// are then durable.
  ///
  /// - Parameters:
  ///   - bytes: the contents.
  ///   - path: its path.
  /// - Returns: false also for a file that cannot be read.
  package static func isWritten(_ bytes: borrowing SecretBytes, at path: String) -> Bool {
    let descriptor = unsafe open(
      path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == geteuid(), status.st_mode & 0o077 == 0
    else { return false }
    // One byte more, to notice a longer file.
    var found = SecretBytes(zeroed: bytes.count + 1)
    let count = unsafe found.withUnsafeMutableBytes { found in
      unsafe read(descriptor, found.baseAddress, found.count)
    }
    guard count == bytes.count else { return false }
    found.resize(to: count)
    return found.isEqual(to: bytes) && fsync(descriptor) == 0
  }

  /// Replaces the contents of a file that this run has written.
  ///
  /// - Throws: `io`; the file is then unchanged.
  package static func replace(
    _ path: String, with bytes: borrowing SecretBytes
  ) throws(UserMessage) {
    try inFolder(of: path) { (folder, name) throws(BackupFolderError) in
      try folder.replace(name, with: bytes)
    }
  }

  /// Removes a file that this run has written, if it exists.
  package static func remove(_ path: String) { unsafe unlink(path) }

  /// The folder of a path, and the name in it.
  private struct Place {
    let folder: String
    let name: String

    init(_ path: String) {
      let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
      name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
      let folder = slash.map { String(path[..<$0]) } ?? "."
      self.folder = folder.isEmpty ? "/" : folder
    }
  }

  private static func inFolder(
    of path: String, _ body: (inout PrivateFolder, String) throws(BackupFolderError) -> Void
  ) throws(UserMessage) {
    let place = Place(path)
    if path.isEmpty { throw cannotCreate(path, ENOENT) }
    if ["", ".", ".."].contains(place.name) { throw cannotCreate(path, EISDIR) }
    do throws(BackupFolderError) {
      var folder = try PrivateFolder(path: place.folder)
      try body(&folder, place.name)
    } catch {
      throw message(error, path, place)
    }
  }

  private static func message(
    _ error: BackupFolderError, _ path: String, _ place: Place
  ) -> UserMessage {
    switch error {
    case .noSuchFolder: return cannotCreate(path, ENOENT)
    case .notAFolder: return cannotCreate(path, ENOTDIR)
    case .notRegular: return cannotCreate(path, ELOOP)
    case .permissionDenied:
      let isForbidden = unsafe access(place.folder, W_OK | X_OK) != 0
      return cannotCreate(path, isForbidden ? errno : EACCES)
    case .io(let code, _) where [ENAMETOOLONG, EINVAL, EILSEQ].contains(code):
      return cannotCreate(path, code)
    case .io(let code, _), .unreachable(let code, _):
      return UserMessage(
        .io, "\(ShellWord.quoted(path)) could not be written: \(systemText(code))")
    case .diskFull:
      return UserMessage(
        .io, "\(ShellWord.quoted(path)) could not be written: \(systemText(ENOSPC))")
    default: return UserMessage(error)
    }
  }
}
