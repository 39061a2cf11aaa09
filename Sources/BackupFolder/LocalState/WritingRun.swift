/// The lock and the state folder that a writing run holds from start to end.
struct WritingRun: ~Copyable {
  let state: StateFolder
  /// The tag that distinguishes this computer's temporary files from another's.
  let tag: String
  private let lock: FileLock

  /// Takes the lock.
  static func begin(_ state: StateFolder) throws(BackupFolderError) -> WritingRun {
    let lock = try state.lock()
    // A failure to remove them does not prevent writing.
    try? state.removeStaleFiles()
    let tag = try state.temporaryTag()
    return WritingRun(state: state, tag: tag, lock: lock)
  }
}
