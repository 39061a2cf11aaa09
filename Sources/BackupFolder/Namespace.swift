public import CSPP

/// One namespace of a folder, before its master key is known.
public struct Namespace: Sendable {
  /// Its ID, which is its folder's name.
  public let id: NamespaceID
  let directory: Directory
  let settings: BackupFolder.Settings
  /// The backup folder, by which the state folder knows it.
  let folder: Directory

  /// Whether this computer began to make this namespace and did not finish, or
  /// did not live to know that it had.
  ///
  /// ``resumeCreation(_:prfOutput:)`` then finishes it.
  public var isUnfinishedHere: Bool {
    get throws(BackupFolderError) {
      guard let state = try? state(make: false), try state.memory(of: id).creating else {
        return false
      }
      guard let logs = try logFolder() else { return true }
      return try LogListing.count(logs) <= 1
    }
  }

  /// Opens the logs of all computers.
  ///
  /// - Parameters:
  ///   - masterKey: from ``KeySlot/unwrap(secret:)``.
  ///   - key: the key slot that gave it, if one did.
  ///   - purpose: what is to be done with it.
  /// - Returns: the namespace, open.
  /// - Throws: ``BackupFolderError/wrongKey`` when it is another namespace's;
  ///   system errors.
  public func open(
    _ masterKey: consuming MasterKey, by key: KeyID? = nil,
    for purpose: OpenNamespace.Purpose = .reading
  ) throws(BackupFolderError) -> OpenNamespace {
    try OpenNamespace.open(self, masterKey: masterKey, by: key, purpose: purpose)
  }

  /// What this computer keeps about the folder.
  ///
  /// - Parameter make: whether to make what is not there; a reading run that
  ///   has nothing to remember leaves no trace.
  /// - Returns: its folder.
  /// - Throws: ``BackupFolderError/noSuchFolder(path:)`` when it is not there
  ///   and not to be made; system errors.
  func state(make: Bool) throws(BackupFolderError) -> StateFolder {
    try StateFolder(path: settings.stateFolder, folder: folder, make: make)
  }
}
