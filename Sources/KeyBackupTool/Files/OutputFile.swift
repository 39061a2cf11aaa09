internal import CLinux
internal import CommandSupport
internal import Glibc
internal import SecretMemory

/// A file that a command creates for the user: never over an existing one, never readable by
/// others.
struct OutputFile: ~Copyable {
  private let descriptor: Int32
  private let folder: Int32
  private let path: String

  /// Creates the file with mode 0600.
  ///
  /// - Parameters:
  ///   - path: its path.
  ///   - folder: the descriptor of the folder to which `path` is relative; it stays open while this
  ///     value lives.
  /// - Throws: `cannot-create` when something is already there or the folder accepts no file.
  init(creating path: String, in folder: Int32 = AT_FDCWD) throws(UserMessage) {
    let descriptor = unsafe openat(
      folder, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      let reason = errno
      throw UserMessage(
        .cannotCreate, "\(ShellWord.quoted(path)) cannot be created: \(systemText(reason))",
        hint: Self.advice(path, reason))
    }
    self.descriptor = descriptor
    self.folder = folder
    self.path = path
    KeptPermissions.check(descriptor, at: path)
  }

  deinit { close(descriptor) }

  private static func advice(_ path: String, _ reason: Int32) -> String {
    if reason == EEXIST { return "it exists and is never overwritten; choose another name" }
    guard reason == ENOENT else { return "choose another place" }
    return FileCheck.unexpanded(path)
      ?? "its folder is not there: check the path, or make the folder first"
  }

  /// Throws if something is already at a path, or its folder is not there, before a person is asked
  /// for anything; creating the file checks again.
  ///
  /// - Throws: `cannot-create`.
  static func requirePlace(_ path: String?) throws(UserMessage) {
    try requireFree(path)
    guard let path else { return }
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { String(path[..<$0]) } ?? "."
    guard !folder.isEmpty, !FileCheck.exists(folder) else { return }
    throw UserMessage(
      .cannotCreate, "\(ShellWord.quoted(path)) cannot be created: \(systemText(ENOENT))",
      hint: advice(path, ENOENT))
  }

  /// Throws if something is already at a path, before a key is touched for it; creating the file
  /// checks again.
  ///
  /// - Throws: `cannot-create`.
  static func requireFree(_ path: String?) throws(UserMessage) {
    guard let path, FileCheck.exists(path) else { return }
    throw UserMessage(
      .cannotCreate, "\(ShellWord.quoted(path)) cannot be created: \(systemText(EEXIST))",
      hint: "it exists and is never overwritten; choose another name")
  }

  /// Throws if no file can be created at a path; leaves nothing there.
  ///
  /// - Throws: `cannot-create`.
  static func requireCreatable(_ path: String) throws(UserMessage) {
    _ = try OutputFile(creating: path)
    remove(path)
  }

  /// Creates a file and writes all its contents durably.
  ///
  /// - Parameters:
  ///   - bytes: its contents.
  ///   - path: its path, where nothing may exist.
  /// - Throws: `cannot-create`, `io`; no file is left then.
  static func write(_ bytes: borrowing SecretBytes, to path: String) throws(UserMessage) {
    let file = try OutputFile(creating: path)
    try bytes.withBytes { (bytes) throws(UserMessage) in try file.write(bytes) }
    do {
      try file.synchronize()
    } catch {
      remove(path)
      throw error
    }
  }

  /// Whether an earlier run has written a file: a private one with exactly these contents, which
  /// are then durable.
  ///
  /// - Parameters:
  ///   - bytes: the contents.
  ///   - path: its path.
  /// - Returns: false also for a file that cannot be read.
  static func isWritten(_ bytes: borrowing SecretBytes, at path: String) -> Bool {
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
  static func replace(
    _ path: String, with bytes: borrowing SecretBytes
  ) throws(UserMessage) {
    let part = path + ".keybackup-part"
    try write(bytes, to: part)
    guard unsafe rename(part, path) == 0 else {
      let reason = errno
      remove(part)
      throw UserMessage(
        .io, "\(ShellWord.quoted(path)) could not be written: \(systemText(reason))")
    }
  }

  /// Removes a file that this run has written, if it exists.
  static func remove(_ path: String) { unsafe unlink(path) }

  /// Writes secret bytes from guarded memory.
  ///
  /// - Throws: `io`; the file is then removed: half a wallet must not look like a whole one.
  func write(_ bytes: RawSpan) throws(UserMessage) {
    do {
      try Output.writeAll(bytes, to: descriptor)
    } catch {
      unsafe unlinkat(folder, path, 0)
      throw error
    }
  }

  /// Waits until the bytes are on the disk.
  ///
  /// - Throws: `io`.
  func synchronize() throws(UserMessage) {
    guard fsync(descriptor) == 0 else {
      let reason = errno
      throw UserMessage(
        .io, "\(ShellWord.quoted(path)) could not be written: \(systemText(reason))")
    }
  }
}
