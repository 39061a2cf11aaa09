internal import CSPP

/// One file that may be a wallet's envelope.
struct ViewFile: Hashable {
  /// Whether it lies directly in the namespace folder, as older programs wrote.
  let isOlderPlace: Bool
  let name: String

  /// The record the name speaks of.
  var named: RecordID? { FolderLayout.record(ofWalletFile: name) }

  /// The path below the namespace folder.
  var path: String { isOlderPlace ? name : "\(FolderLayout.walletFolder)/\(name)" }

  /// Whether the name claims to be a wallet's, so that a file that does not
  /// open is worth a word; any other name is tried and passed over.
  var claimsWallet: Bool {
    !name.hasPrefix(AtomicFile.temporaryPrefix) && name.contains("wallet-")
  }
}

extension Namespace {
  /// The folder of the logs; `nil` when there is none.
  func logFolder() throws(BackupFolderError) -> Directory? {
    try ownFolder(FolderLayout.logFolder)
  }

  /// The folder of the ways in; `nil` when there is none.
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

  /// Every file that may hold a wallet, the current place before the older one,
  /// because it wins.
  func viewFiles() throws(BackupFolderError) -> [ViewFile] {
    var files = try walletFolder()?.names().map { ViewFile(isOlderPlace: false, name: $0) } ?? []
    let folders = [
      FolderLayout.walletFolder, FolderLayout.masterKeyFolder, FolderLayout.ownFolder,
    ]
    for name in try directory.names() where !folders.contains(name) {
      files.append(ViewFile(isOlderPlace: true, name: name))
    }
    return files
  }
}
