internal import CLinux
internal import CSPP
internal import CommandSupport
internal import Glibc
internal import SecretMemory

/// The folder that files are restored into, those of the backup as `<label>/<name>`.
///
/// A file gets its name when all of it is there, checked and durable. Nothing gets a name that is
/// taken, and no symbolic link below the folder is followed.
final class RestoredTree: Sendable {
  /// How a file ended.
  enum Placed: Sendable {
    case written
    /// A file of this name holds the same already.
    case there
    /// Something else has the name. It stays as it is.
    case taken
  }

  /// Attributes of a restored file.
  struct Attributes: Sendable {
    let size: UInt64
    /// Unix seconds.
    let modified: UInt64
    let mode: UInt16
    let content: Digest
  }

  private let root: Int32
  /// Whether the folder was not there before.
  private let isMade: Bool
  /// The folder as the person named it.
  let path: String

  /// Makes the folder, or takes an existing one.
  ///
  /// - Throws: `cannot-create`.
  init(path: String) throws(UserMessage) {
    if let advice = FileCheck.unexpanded(path) {
      throw UserMessage(
        .cannotCreate, "the folder \(ShellWord.quoted(path)) cannot be made", hint: advice)
    }
    isMade = unsafe mkdir(path, 0o700) == 0
    if !isMade, errno != EEXIST {
      throw UserMessage(
        .cannotCreate, "the folder \(ShellWord.quoted(path)) cannot be made: \(systemText(errno))",
        hint: "choose another place for --out")
    }
    root = unsafe keybackup_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard root >= 0 else {
      throw UserMessage(
        .cannotCreate, "\(ShellWord.quoted(path)) cannot be used: \(systemText(errno))",
        hint: "choose another place for --out")
    }
    self.path = path
    guard isMade else { return }
    // The name of a new folder is durable with the folder that holds it. It is made all the same
    // where nobody may open that one.
    let parent = unsafe keybackup_openat(root, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    if parent < 0 { return }
    defer { close(parent) }
    try Self.sync(parent, shown: path)
  }

  deinit {
    if root >= 0 { close(root) }
    // A run that restored nothing leaves nothing: only an empty folder can be removed so.
    if isMade { unsafe rmdir(path) }
  }

  /// Writes one file.
  ///
  /// - Parameters:
  ///   - name: its name.
  ///   - folders: the folders below the root, from the outermost; they are made.
  ///   - attributes: of the version.
  ///   - read: gives the contents to a closure, and throws unless they were all right. The second
  ///     closure takes back what was given.
  /// - Returns: whether the name now holds the version.
  /// - Throws: `cannot-create`, `io`, and the errors of `read`; no file of that name is left then.
  func write(
    _ name: String, in folders: [String], _ attributes: Attributes,
    read: (
      (RawSpan) throws(UserMessage) -> Void, () throws(UserMessage) -> Void
    ) throws(UserMessage) -> Void
  ) throws(UserMessage) -> Placed {
    guard let folder = try folder(folders) else { return .taken }
    defer {
      close(folder)
      if isMade { removeEmpty(folders) }
    }
    let shown = ([path] + folders + [name]).joined(separator: "/")
    if let holds = Self.holds(name, in: folder, attributes) { return holds ? .there : .taken }
    let part = try PartFile(in: folder, shown: shown)
    try read(
      { (bytes) throws(UserMessage) in
        if Task.isCancelled { throw .interrupted }
        try part.write(bytes)
      }, { () throws(UserMessage) in try part.empty() })
    guard try part.place(name, attributes) else { return .taken }
    try Self.sync(folder, shown: shown)
    return .written
  }

  /// Makes the names in a folder durable, where the file system can.
  private static func sync(_ folder: Int32, shown: String) throws(UserMessage) {
    guard fsync(folder) == 0 || errno == EINVAL else {
      throw UserMessage(
        .io, "\(ShellWord.quoted(shown)) could not be written: \(systemText(errno))")
    }
  }

  /// Removes the folders that hold nothing, from the innermost.
  private func removeEmpty(_ folders: [String]) {
    for count in stride(from: folders.count, to: 0, by: -1) {
      // This does nothing to one with files.
      unsafe unlinkat(root, folders.prefix(count).joined(separator: "/"), AT_REMOVEDIR)
    }
  }

  /// Opens a folder below the root; nil when something else has one of the names.
  private func folder(_ names: [String]) throws(UserMessage) -> Int32? {
    var folder = unsafe keybackup_openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    for (place, name) in names.enumerated() where folder >= 0 {
      let outer = folder
      defer { close(outer) }
      let shown = ([path] + names[...place]).joined(separator: "/")
      if unsafe mkdirat(outer, name, 0o700) == 0 {
        try Self.sync(outer, shown: shown)
      } else if errno != EEXIST {
        let reason = errno
        throw UserMessage(
          .cannotCreate,
          "the folder \(ShellWord.quoted(shown)) cannot be made: \(systemText(reason))",
          hint: "choose another place for --out")
      }
      folder = unsafe keybackup_openat(
        outer, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
    }
    return folder >= 0 ? folder : nil
  }

  /// Whether a file of this name holds the version already; nil: the name is free.
  private static func holds(
    _ name: String, in folder: Int32, _ attributes: Attributes
  ) -> Bool? {
    var status = stat()
    guard unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    guard status.st_mode & S_IFMT == S_IFREG, UInt64(max(0, status.st_size)) == attributes.size
    else { return false }
    let file = unsafe keybackup_openat(
      folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0)
    guard file >= 0 else { return false }
    defer { close(file) }
    var digest = SHA256()
    var buffer = SecretBytes(zeroed: 256 * 1024)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(file, $0.baseAddress, $0.count)
      }
      if count < 0 { return false }
      if count == 0 { break }
      buffer.withBytes { digest.update($0.extracting(0..<count)) }
    }
    return digest.finalize() == attributes.content.bytes
  }
}

/// A restored file that has no name yet.
///
/// It is gone with the value, or with the process, unless it gets one.
private struct PartFile: ~Copyable {
  private let folder: Int32
  private let shown: String
  private let descriptor: Int32
  /// The name of a temporary file; nil for one without a name.
  private let temporary: String?

  init(in folder: Int32, shown: String) throws(UserMessage) {
    self.folder = folder
    self.shown = shown
    // O_TMPFILE, whose definition Swift does not import.
    let unnamed = unsafe keybackup_openat(
      folder, ".", O_WRONLY | O_CLOEXEC | O_DIRECTORY | 0o20_000_000, 0o600)
    if unnamed >= 0 {
      descriptor = unnamed
      temporary = nil
      return
    }
    // Not every file system has such files.
    let name = "keybackup-part-" + Hex.string(Randomness.bytes(count: 8))
    let named = unsafe keybackup_openat(
      folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard named >= 0 else {
      throw UserMessage(
        .cannotCreate, "\(ShellWord.quoted(shown)) cannot be created: \(systemText(errno))",
        hint: "choose another place for --out")
    }
    descriptor = named
    temporary = name
  }

  deinit {
    close(descriptor)
    // After a rename nothing has this name.
    if let temporary { unsafe unlinkat(folder, temporary, 0) }
  }

  func write(_ bytes: RawSpan) throws(UserMessage) { try Output.writeAll(bytes, to: descriptor) }

  /// Takes back what was written.
  func empty() throws(UserMessage) {
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw failure(errno)
    }
  }

  /// Sets time and mode, waits for the disk, and gives the file its name.
  ///
  /// - Returns: false when the name is taken.
  func place(
    _ name: String, _ attributes: RestoredTree.Attributes
  ) throws(UserMessage) -> Bool {
    let seconds = Int(min(attributes.modified, 1 << 40))
    let time = timespec(tv_sec: seconds, tv_nsec: 0)
    let mode = 0o600 | mode_t(attributes.mode) & 0o100
    // A file system without times or modes, such as FAT, is no reason to lose the file.
    _ = unsafe futimens(descriptor, [time, time])
    _ = fchmod(descriptor, mode)
    guard fsync(descriptor) == 0 else { throw failure(errno) }
    var code: Int32 = 0
    if let temporary {
      code = unsafe keybackup_renameat2(folder, temporary, folder, name, UInt32(RENAME_NOREPLACE))
      // A hard link replaces nothing either.
      if code != 0, [EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) {
        code = unsafe linkat(folder, temporary, folder, name, 0)
        // No hard links either, as on exFAT: look, then rename.
        if code != 0, errno != EEXIST {
          var status = stat()
          let isFree =
            unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT
          if !isFree { return false }
          code = unsafe renameat(folder, temporary, folder, name)
        }
      }
    } else {
      code = unsafe linkat(
        AT_FDCWD, "/proc/self/fd/\(descriptor)", folder, name, AT_SYMLINK_FOLLOW)
    }
    if code == 0 { return true }
    if errno == EEXIST { return false }
    throw failure(errno)
  }

  private func failure(_ reason: Int32) -> UserMessage {
    UserMessage(
      .io, "\(ShellWord.quoted(shown)) could not be written: \(systemText(reason))",
      hint: "choose another place for --out")
  }
}
