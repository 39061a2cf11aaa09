internal import CLinux
internal import CommandKit
internal import CommandSupport
internal import FoundationEssentials
internal import Glibc
internal import SecretMemory

/// A restored file that has no name yet.
///
/// It is gone with the value, or with the process, unless it gets one.
final class PartFile {
  private let folder: Int32
  private let root: String
  private let shown: String
  private let run: Run
  private var descriptor: Int32 = -1
  /// The name of a temporary file; nil for one without a name.
  private var temporary: String?
  /// The `errno` of the call that failed; 0: none did.
  private(set) var problem: Int32 = 0
  /// Whether all contents are in it, and on the disk.
  private(set) var isFilled = false

  init(in folder: Int32, root: String, shown: String, _ run: Run) {
    self.folder = folder
    self.root = root
    self.shown = shown
    self.run = run
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
    KeptPermissions.check(descriptor, at: root, run)
    guard fsync(descriptor) == 0 else { throw failure(errno) }
    isFilled = true
  }

  private func open() throws(UserMessage) {
    // O_TMPFILE, whose definition Swift does not import.
    descriptor = unsafe keybackup_openat(
      folder, ".", O_WRONLY | O_CLOEXEC | O_DIRECTORY | 0o20_000_000, 0o600)
    if descriptor >= 0 { return }
    // Not every file system has such files.
    while true {
      let name = Self.prefix + Hex.string(Randomness.bytes(count: 8))
      descriptor = unsafe keybackup_openat(
        folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw failure(errno, .cannotCreate) }
      // Other runs see by the lock that this one is at work. One may have removed it before.
      _ = flock(descriptor, LOCK_EX)
      var status = stat()
      if unsafe fstat(descriptor, &status) != 0 || status.st_nlink > 0 {
        temporary = name
        return
      }
      close(descriptor)
    }
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
