/// The lock and the state folder that a writing run holds from start to end.
struct WritingRun: ~Copyable {
  let state: StateFolder
  /// The tag that distinguishes this computer's temporary files from another's.
  let tag: String
  /// The lock, which goes with its last owner.
  let lock: SharedLock

  /// A lock that a decision and the run that writes it may hold together.
  final class SharedLock {
    private let lock: FileLock

    init(_ lock: consuming FileLock) { self.lock = lock }
  }

  /// Takes the lock.
  ///
  /// - Parameters:
  ///   - state: the state folder.
  ///   - held: its lock, where the caller holds it already.
  /// - Returns: the run.
  /// - Throws: ``BackupFolderError/busy(path:)`` where another program keeps the lock; system errors.
  static func begin(
    _ state: StateFolder, holding held: SharedLock? = nil
  ) throws(BackupFolderError) -> WritingRun {
    let lock: SharedLock
    if let held { lock = held } else { lock = SharedLock(try state.lock()) }
    // A failure to remove them does not prevent writing.
    try? state.removeStaleFiles()
    let tag = try state.temporaryTag()
    return WritingRun(state: state, tag: tag, lock: lock)
  }
}
