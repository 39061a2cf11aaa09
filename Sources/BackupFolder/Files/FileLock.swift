internal import CLinux
internal import Glibc

/// Keeps two programs of this computer from writing one folder at the same time.
///
/// The lock file is in the state folder: in the backup folder it would be synchronised. Other
/// computers need no lock: each writes its own files.
struct FileLock: ~Copyable {
  /// How long a writing run waits for another program.
  static let patience = Duration.seconds(10)
  /// How long a reading run waits before it remembers something.
  static let readersPatience = Duration.seconds(2)

  private let descriptor: Int32

  /// Takes the lock for writing; it is released however the program ends.
  ///
  /// - Parameters:
  ///   - name: the lock file.
  ///   - directory: its folder.
  ///   - patience: how long to wait for another program.
  /// - Returns: the lock, which is released with the value.
  /// - Throws: ``BackupFolderError/busy(path:)`` when another program keeps it.
  static func take(
    _ name: String, in directory: Directory, patience: Duration = FileLock.patience
  ) throws(BackupFolderError) -> FileLock {
    let path = "\(directory.path)/\(name)"
    let (file, code) = SystemCall.retrying {
      unsafe keybackup_openat(
        directory.descriptor, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
    if code != 0 { throw .system(code, path) }
    let lock = FileLock(descriptor: file)
    let clock = ContinuousClock()
    let deadline = clock.now + patience
    while true {
      let (_, failure) = SystemCall.retrying { flock(file, LOCK_EX | LOCK_NB) }
      if failure == 0 { return lock }
      guard failure == EWOULDBLOCK else { throw .system(failure, path) }
      if clock.now >= deadline { throw .busy(path: path) }
      usleep(50_000)
    }
  }

  deinit {
    close(descriptor)
  }
}
