public import CSPP

extension Namespace {
  /// The bytes of a key slot's own file.
  ///
  /// - Parameter key: the key slot.
  /// - Returns: nil when the folder has no such file.
  /// - Throws: ``BackupFolderError/incomplete(path:)`` and other system errors.
  public func keyFile(of key: KeyID) throws(BackupFolderError) -> [UInt8]? {
    try keyFileBytes(of: key)
  }
}
