internal import CSPP

/// A rotation that is started over: what the interrupted one left goes.
extension Namespace {
  /// Removes a namespace that an interrupted rotation of this computer made, and
  /// that nobody was told of.
  ///
  /// - Throws: ``RotationObstacle/unfinished(_:)`` when another computer wrote
  ///   there; system errors.
  func discardUnfinished(run: borrowing WritingRun) throws(BackupFolderError) {
    let memory = try run.state.memory(of: id)
    guard memory.rotatingFrom != nil else { throw .cannotRotate(.unfinished(id)) }
    if let logs = try logFolder() {
      for name in try logs.names() {
        guard let writer = WriterID(hex: name), memory.rotatingWriters.contains(writer) else {
          throw .cannotRotate(.unfinished(id))
        }
      }
      // The operations first: without one, nothing here counts.
      for name in try logs.names() {
        try logs.subdirectory(name)?.removeFiles()
        logs.removeEmptySubdirectory(name)
      }
    }
    try walletFolder()?.removeFiles()
    try directory.subdirectory(FolderLayout.masterKeyFolder)?.removeFiles()
    try keyFolder()?.removeFiles()
    removeEmptyFolders()
    if let all = try folder.subdirectory(FolderLayout.namespaces) {
      all.removeEmptySubdirectory(id.hex)
      try all.sync()
    }
    try run.state.forget(id)
  }
}

extension Directory {
  fileprivate func removeFiles() throws(BackupFolderError) {
    for name in try names() { try unlink(name) }
  }
}
