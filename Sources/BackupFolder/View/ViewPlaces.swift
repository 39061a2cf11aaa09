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

  private func ownFolder(_ name: String) throws(BackupFolderError) -> Directory? {
    guard let own = try directory.readableSubdirectory(FolderLayout.ownFolder) else { return nil }
    return try own.readableSubdirectory(name)
  }

  /// Every file that may hold a wallet.
  func viewFiles() throws(BackupFolderError) -> ViewFiles { try ViewFiles(self) }
}
