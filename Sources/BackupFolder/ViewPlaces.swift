internal import CSPP

/// One file that may be a wallet's envelope.
struct ViewFile: Hashable {
  /// Whether it lies directly in the namespace folder, as older programs wrote.
  let isOlderPlace: Bool
  let name: String

  /// Whether it stands for a file that lies beside it.
  var isSuperfluous = false

  /// The record whose own file this is, by its name.
  var named: RecordID? { FolderLayout.record(ofWalletFile: name) }

  /// The record the name speaks of, be it that of a file which stands for the
  /// record's own.
  var claimed: RecordID? {
    named ?? StandIn.awaited(name).flatMap { FolderLayout.record(ofWalletFile: $0) }
  }

  /// Whether the file's own bytes are still awaited.
  var isStandIn: Bool { StandIn.awaited(name) != nil }

  /// The path below the namespace folder.
  var path: String { isOlderPlace ? name : "\(FolderLayout.walletFolder)/\(name)" }

  /// Whether the name claims to be a wallet's, so that a file that does not
  /// open is worth a word; any other name is tried and passed over.
  var claimsWallet: Bool {
    !isSuperfluous && !name.hasPrefix(AtomicFile.temporaryPrefix) && name.contains("wallet-")
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
    var files = Self.files(try walletFolder()?.names() ?? [], isOlderPlace: false)
    let folders = [
      FolderLayout.walletFolder, FolderLayout.masterKeyFolder, FolderLayout.ownFolder,
    ]
    let older = try directory.names().filter { !folders.contains($0) }
    files += Self.files(older, isOlderPlace: true)
    return files
  }

  private static func files(_ names: [String], isOlderPlace: Bool) -> [ViewFile] {
    let superfluous = StandIn.superfluous(in: names)
    return names.map {
      ViewFile(
        isOlderPlace: isOlderPlace, name: $0, isSuperfluous: superfluous.contains($0))
    }
  }
}
