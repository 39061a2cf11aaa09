internal import CSPP

/// Temporary files that a crash left beside the key slots and in the logs.
///
/// Those in `wallets/` are ``ViewSurvey/leftOver``, since an exchange may have put a wallet's only
/// copy there. In these folders nothing is ever displaced, so a temporary file is only one that was
/// never placed. Its tag tells whose it is. Another computer's file stays, since that computer may
/// be writing it.
extension Namespace {
  /// Removes this computer's temporary files.
  ///
  /// - Parameters:
  ///   - tag: this computer's tag, see ``StateFolder/temporaryTag()``.
  ///   - areInLogs: whether any was listed in a log.
  /// - Throws: system errors.
  func removeStaleTemporaryFiles(tag: String, areInLogs: Bool) throws(BackupFolderError) {
    if let keys = try keyFolder() { try keys.removeTemporaryFiles(tag: tag) }
    if let objects = try ownFolder(FolderLayout.objectFolder) {
      try objects.removeStaged(tag: tag)
    }
    if let envelopes = try directory.readableSubdirectory(FolderLayout.masterKeyFolder) {
      try envelopes.removeTemporaryFiles(tag: tag) { bytes in
        // An envelope without our mark is another program's.
        guard let envelope = try? MasterKeyEnvelope(parsing: bytes, at: id) else { return true }
        return envelope.keyReference != nil
      }
    }
    guard areInLogs, let logs = try logFolder() else { return }
    for name in try logs.names() {
      guard let writer = try logs.readableSubdirectory(name) else { continue }
      if try writer.removeTemporaryFiles(tag: tag) {
        // Removes the folder of a writer whose first operation was never published.
        logs.removeEmptySubdirectory(name)
      }
    }
  }
}

extension Directory {
  /// Removes temporary files with a tag whose bytes may be lost.
  ///
  /// - Returns: whether there were any.
  @discardableResult
  fileprivate func removeTemporaryFiles(
    tag: String, mayGo: (Span<UInt8>) -> Bool = { _ in true }
  ) throws(BackupFolderError) -> Bool {
    let found = try temporaryFiles(tag: tag)
    if found.isEmpty { return false }
    var buffer = FileBuffer()
    for name in found
    where fileMayGo(name, buffer: &buffer, limit: SizeLimits.standard.operation, mayGo: mayGo) {
      try unlink(name)
    }
    return true
  }
}
