internal import CSPP

extension Namespace {
  /// The folder of the logs; `nil` when there is none.
  func logFolder() throws(BackupFolderError) -> Directory? {
    try ownFolder(FolderLayout.logFolder)
  }

  /// The folder of the key slots; `nil` when there is none.
  func keyFolder() throws(BackupFolderError) -> Directory? {
    try ownFolder(FolderLayout.keyFolder)
  }

  /// The folder of the wallets; `nil` when there is none.
  func walletFolder() throws(BackupFolderError) -> Directory? {
    try directory.readableSubdirectory(FolderLayout.walletFolder)
  }

  /// A folder in `keybackup/`; `nil` when there is none.
  func ownFolder(_ name: String) throws(BackupFolderError) -> Directory? {
    guard let own = try directory.readableSubdirectory(FolderLayout.ownFolder) else { return nil }
    return try own.readableSubdirectory(name)
  }
}

extension Namespace {
  /// Makes the names of the folders from the backup folder down to the logs durable, also those
  /// that another run or program created.
  ///
  /// A killed run, or another program, may have created one without waiting for it. Files written
  /// below it would be lost with it.
  func syncFolders() throws(BackupFolderError) {
    folder.syncParent()
    try folder.sync()
    if let all = try folder.subdirectory(FolderLayout.namespaces) { try all.sync() }
    try directory.sync()
    if let own = try directory.readableSubdirectory(FolderLayout.ownFolder) { try own.sync() }
    if let logs = try logFolder() { try logs.sync() }
  }

  /// Makes the logs of some computers durable as far as possible.
  ///
  /// A killed run may not have waited for an operation that is visible. If such an operation were
  /// remembered before it is durable, it would look rolled back after a power loss.
  func syncLogs(of writers: Set<WriterID>) {
    guard let logs = try? logFolder() else { return }
    for writer in writers { try? logs.subdirectory(writer.hex)?.sync() }
    try? syncFolders()
  }
}
