/// What a writing run holds from its start to its end.
struct WritingRun: ~Copyable {
  let state: StateFolder
  /// Tells this computer's temporary files from another's.
  let tag: String
  private let lock: FileLock

  /// Takes the lock.
  static func begin(_ state: StateFolder) throws(BackupFolderError) -> WritingRun {
    let lock = try state.lock()
    // That they stay is no reason not to write.
    try? state.removeStaleTemporaryFiles()
    let tag = try state.temporaryTag()
    return WritingRun(state: state, tag: tag, lock: lock)
  }
}
