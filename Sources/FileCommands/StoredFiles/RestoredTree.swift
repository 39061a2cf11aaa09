internal import BackupFolder
internal import CLinux
package import CSPP
package import CommandKit
internal import CommandSupport
internal import FoundationEssentials
internal import Glibc
internal import SecretMemory
internal import SyncFolders
internal import Synchronization
internal import Unlocking

/// The folder that files are restored into, those of the backup as `<label>/<name>`.
///
/// A file gets its name when all of it is there, checked and durable. Nothing gets a name that is
/// taken, and no symbolic link below the folder is followed. A name that the file system cannot have
/// is replaced by one that it can.
package final class RestoredTree: Sendable {
  /// How a file ended; the paths are below the folder.
  package enum Placed: Equatable, Sendable {
    case written(String)
    /// A file of this name holds the same already.
    case there(String)
    /// Something else has the name. It stays as it is.
    case taken
    /// This file cannot be written here; others may be.
    case refused(UserMessage)
  }

  /// Attributes of a restored file.
  package struct Attributes: Sendable {
    package let size: UInt64
    /// Unix seconds.
    package let modified: UInt64
    package let mode: UInt16
    package let content: Digest

    package init(size: UInt64, modified: UInt64, mode: UInt16, content: Digest) {
      self.size = size
      self.modified = modified
      self.mode = mode
      self.content = content
    }
  }

  private let root: Int32
  /// Whether the folder was not there before.
  private let isMade: Bool
  /// The folder as the person named it.
  package let path: String
  /// The paths that this value gave to files.
  private struct Given {
    /// With the path that the file should have had.
    var wanted: [NameBytes: NameBytes] = [:]
    /// As ``FittingNames/folded(_:)`` has them.
    var folded: Set<String> = []
    /// The folders in which nothing is left of earlier runs.
    var cleared: Set<String> = []
  }
  private let given = Mutex(Given())

  /// Makes the folder, or takes an existing one.
  ///
  /// - Throws: `cannot-create`.
  package init(path: String) throws(UserMessage) {
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
  /// - Returns: whether a name now holds the version.
  /// - Throws: why no file can be written any more: `cannot-create`, `io`; and the errors of `read`.
  ///   No file of that name is left then.
  package func write(
    _ name: String, in folders: [String], _ attributes: Attributes,
    read: (
      (RawSpan) throws(UserMessage) -> Void, () throws(UserMessage) -> Void
    ) throws(UserMessage) -> Void
  ) throws(UserMessage) -> Placed {
    let shown = ([path] + folders + [name]).joined(separator: "/")
    switch folder(folders) {
    case .open(let folder, let names):
      defer {
        close(folder)
        if isMade { removeEmpty(names) }
      }
      if given.withLock({ $0.cleared.insert(names.joined(separator: "/")).inserted }) {
        PartFile.removeLeft(in: folder)
      }
      let part = PartFile(in: folder, root: path, shown: shown)
      do throws(UserMessage) {
        return try place(part, name, in: folder, names, attributes, read)
      } catch {
        // What the reader throws is for the caller. A write may fail for this file alone.
        guard part.problem != 0, !endsAll(part.problem) else { throw error }
        return .refused(error)
      }
    case .taken: return .taken
    case .refused(let code):
      let error = UserMessage(
        .cannotCreate,
        "the folder of \(ShellWord.quoted(shown)) cannot be made: \(systemText(code))",
        hint: "choose another place for --out")
      if endsAll(code) { throw error }
      return .refused(error)
    }
  }

  private func place(
    _ part: PartFile, _ name: String, in folder: Int32, _ folders: [String],
    _ attributes: Attributes,
    _ read: (
      (RawSpan) throws(UserMessage) -> Void, () throws(UserMessage) -> Void
    ) throws(UserMessage) -> Void
  ) throws(UserMessage) -> Placed {
    var problem: Int32 = 0
    let wanted = (folders + [name]).joined(separator: "/")
    for candidate in FittingNames.all(for: name) {
      let below = (folders + [candidate]).joined(separator: "/")
      var found = look(candidate, in: folder, at: below, for: wanted, attributes)
      if found == .free {
        if !part.isFilled { try part.fill(attributes, read) }
        let code = part.place(candidate)
        if code == 0 {
          give(below, to: wanted)
          try part.sync()
          return .written(below)
        }
        if code != EEXIST {
          // A full disk is no matter of the name.
          if problem == 0 || endsAll(code) { problem = code }
          if endsAll(code) { break }
          continue
        }
        // Somebody was faster, or the file system has it in another form.
        found = look(candidate, in: folder, at: below, for: wanted, attributes)
      }
      switch found {
      case .same:
        give(below, to: wanted)
        return .there(below)
      case .other: return .taken
      case .otherForm, .free: continue
      }
    }
    if problem == 0 { return .taken }
    throw part.failure(problem, endsAll(problem) ? .io : .cannotCreate)
  }

  // MARK: Names

  /// The file that has a name already.
  private enum Found {
    case free
    case same
    case other
    /// The file system takes the name for another file's.
    case otherForm
  }

  private func look(
    _ name: String, in folder: Int32, at below: String, for wanted: String,
    _ attributes: Attributes
  ) -> Found {
    guard let holds = Self.holds(name, in: folder, attributes) else { return .free }
    let (other, isFolded) = given.withLock {
      ($0.wanted[NameBytes(below)], $0.folded.contains(FittingNames.folded(below)))
    }
    // Another file of this run got it in the place of its own name.
    if let other, other != NameBytes(wanted) { return .otherForm }
    // Exactly this name was there before.
    if Self.lists(name, in: folder) { return holds ? .same : .other }
    return holds && !isFolded ? .same : .otherForm
  }

  /// Notes that a file of this run has a path.
  private func give(_ below: String, to wanted: String) {
    given.withLock {
      $0.wanted[NameBytes(below)] = NameBytes(wanted)
      $0.folded.insert(FittingNames.folded(below))
    }
  }

  /// Whether a folder lists exactly this name; also if it cannot be listed.
  private static func lists(_ name: String, in folder: Int32) -> Bool {
    let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd/\(folder)")
    return names?.contains { NameBytes($0) == NameBytes(name) } ?? true
  }

  /// Whether nothing can be written any more, as on a full disk, or where the folder is lost.
  private func endsAll(_ code: Int32) -> Bool {
    var status = stat()
    if SystemCall.endsAllWriting(code) { return true }
    guard code == ENOENT, unsafe fstat(root, &status) == 0 else { return false }
    return status.st_nlink == 0
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

  /// A folder below the root.
  private enum Opened {
    /// The open folder, and the names on the way to it.
    case open(Int32, [String])
    /// Something else has one of the names.
    case taken
    case refused(Int32)
  }

  /// Opens a folder below the root, and makes it where it is not there.
  private func folder(_ wanted: [String]) -> Opened {
    var folder = unsafe keybackup_openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    if folder < 0 { return .refused(errno) }
    var names: [String] = []
    for name in wanted {
      let outer = folder
      defer { close(outer) }
      switch Self.step(name, in: outer) {
      case .open(let next, let step):
        folder = next
        names += step
      case let failed: return failed
      }
    }
    return .open(folder, names)
  }

  private static func step(_ wanted: String, in outer: Int32) -> Opened {
    var problem: Int32 = 0
    for name in FittingNames.all(for: wanted) {
      if unsafe mkdirat(outer, name, 0o700) == 0 {
        _ = fsync(outer)
      } else if errno != EEXIST {
        if problem == 0 { problem = errno }
        if SystemCall.endsAllWriting(errno) { return .refused(errno) }
        continue
      }
      let folder = unsafe keybackup_openat(
        outer, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
      if folder >= 0 { return .open(folder, [name]) }
      // Something else has the name; in another form it takes it from nobody. A file may be a wallet
      // or the explanation of this restore, which no computer's name may keep back.
      if lists(name, in: outer), !isFile(name, in: outer) { return .taken }
    }
    return problem == 0 ? .taken : .refused(problem)
  }

  private static func isFile(_ name: String, in folder: Int32) -> Bool {
    var status = stat()
    return unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
      && status.st_mode & S_IFMT == S_IFREG
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
private final class PartFile {
  private let folder: Int32
  private let root: String
  private let shown: String
  private var descriptor: Int32 = -1
  /// The name of a temporary file; nil for one without a name.
  private var temporary: String?
  /// The `errno` of the call that failed; 0: none did.
  private(set) var problem: Int32 = 0
  /// Whether all contents are in it, and on the disk.
  private(set) var isFilled = false

  init(in folder: Int32, root: String, shown: String) {
    self.folder = folder
    self.root = root
    self.shown = shown
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    // After a rename nothing has this name.
    if let temporary { unsafe unlinkat(folder, temporary, 0) }
  }

  /// The error of a system call.
  func failure(_ code: Int32, _ exit: ExitReason = .io) -> UserMessage {
    problem = code
    let what = exit == .io ? "could not be written" : "cannot be created"
    return UserMessage(
      exit, "\(ShellWord.quoted(shown)) \(what): \(systemText(code))",
      hint: code == EFBIG
        ? "this file system takes no file of that size: choose another disk for --out"
        : "choose another place for --out")
  }

  /// Takes the contents, sets time and mode, and waits for the disk.
  func fill(
    _ attributes: RestoredTree.Attributes,
    _ read: (
      (RawSpan) throws(UserMessage) -> Void, () throws(UserMessage) -> Void
    ) throws(UserMessage) -> Void
  ) throws(UserMessage) {
    try open()
    try read(
      { [self] (bytes) throws(UserMessage) in
        if Task.isCancelled { throw .interrupted }
        try write(bytes)
      }, { [self] () throws(UserMessage) in try empty() })
    let seconds = Int(min(attributes.modified, 1 << 40))
    let time = timespec(tv_sec: seconds, tv_nsec: 0)
    let mode = 0o600 | mode_t(attributes.mode) & 0o100
    // A file system without times or modes, such as FAT, is no reason to lose the file.
    _ = unsafe futimens(descriptor, [time, time])
    _ = fchmod(descriptor, mode)
    KeptPermissions.check(descriptor, at: root)
    guard fsync(descriptor) == 0 else { throw failure(errno) }
    isFilled = true
  }

  private func open() throws(UserMessage) {
    // O_TMPFILE, whose definition Swift does not import.
    descriptor = unsafe keybackup_openat(
      folder, ".", O_WRONLY | O_CLOEXEC | O_DIRECTORY | 0o20_000_000, 0o600)
    if descriptor >= 0 { return }
    // Not every file system has such files.
    let name = Self.prefix + Hex.string(Randomness.bytes(count: 8))
    descriptor = unsafe keybackup_openat(
      folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(errno, .cannotCreate) }
    temporary = name
    // Other runs see by the lock that this one is at work.
    _ = flock(descriptor, LOCK_EX | LOCK_NB)
  }

  private static let prefix = "keybackup-part-"

  /// Removes the temporary files of runs that were killed: they hold plain contents.
  ///
  /// A run that is at work holds the lock of its file.
  static func removeLeft(in folder: Int32) {
    let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd/\(folder)")
    for name in names ?? [] where name.hasPrefix(prefix) {
      let digits = name.utf8.dropFirst(prefix.utf8.count)
      guard digits.count == 16, digits.allSatisfy({ Hex.isDigit($0) }) else { continue }
      let file = unsafe keybackup_openat(
        folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0)
      if file < 0 { continue }
      if flock(file, LOCK_EX | LOCK_NB) == 0 { unsafe unlinkat(folder, name, 0) }
      close(file)
    }
  }

  private func write(_ bytes: RawSpan) throws(UserMessage) {
    let code = Output.write(bytes, to: descriptor)
    if code != 0 { throw failure(code) }
  }

  /// Takes back what was written.
  private func empty() throws(UserMessage) {
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw failure(errno)
    }
  }

  /// Gives the file its name, unless that is taken.
  ///
  /// - Returns: 0 or `errno`.
  func place(_ name: String) -> Int32 {
    guard let temporary else {
      let link = "/proc/self/fd/\(descriptor)"
      return unsafe linkat(AT_FDCWD, link, folder, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno
    }
    let flag = UInt32(RENAME_NOREPLACE)
    if unsafe keybackup_renameat2(folder, temporary, folder, name, flag) == 0 { return 0 }
    guard [EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) else { return errno }
    // A hard link replaces nothing either.
    if unsafe linkat(folder, temporary, folder, name, 0) == 0 { return 0 }
    if errno == EEXIST { return EEXIST }
    // No hard links either, as on exFAT: look, then rename.
    var status = stat()
    if unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return EEXIST }
    if errno != ENOENT { return errno }
    return unsafe renameat(folder, temporary, folder, name) == 0 ? 0 : errno
  }

  /// Makes the name durable, where the file system can.
  func sync() throws(UserMessage) {
    guard fsync(folder) == 0 || [EINVAL, EOPNOTSUPP, ENOSYS].contains(errno) else {
      throw failure(errno)
    }
  }
}
