// This folder is for errors, findings, states and counts that callers of this module get.
// Every room may use them. Nothing here reads, writes, or knows how a value came about.

public import CSPP

/// What can go wrong between the program and a backup folder.
///
/// Paths are told, so that a person can look; secrets never are.
public enum BackupFolderError: Error, Equatable, Sendable {
  /// No folder at this path.
  case noSuchFolder(path: String)
  /// Something else than a folder is at this path.
  case notAFolder(path: String)
  /// The folder was listed in full and holds no namespace.
  case noNamespace(path: String)
  /// The folder holds several namespaces: name one.
  case severalNamespaces([NamespaceID])
  /// A namespace is already there; it is never written over.
  case namespaceExists([NamespaceID])
  /// Something is not yet synchronised: an empty or cut-off file, a
  /// placeholder, a folder that lists only in part. Never "no backup".
  case incomplete(path: String)
  /// A folder cannot be read now, by this `errno`: its sync program, network or
  /// disk does not give it. What is in it is not known to be gone.
  case unreachable(errno: Int32, path: String)
  /// The command was asked to end while a folder was read.
  case interrupted
  /// The operating system refuses to read or write this path.
  case permissionDenied(path: String)
  /// A system call failed with this `errno`.
  case io(errno: Int32, path: String)
  /// No room (or quota) left; what was begun has been removed.
  case diskFull(path: String)
  /// Another program holds this path, also after three seconds of trying.
  case busy(path: String)
  /// A key opened its wrapper, but to another namespace, or opened nothing.
  case wrongKey
  /// Bytes that do not parse or authenticate.
  case dataInvalid(path: String, reason: String)
  /// A file beyond the size limit, which is in bytes.
  case tooLarge(path: String, limit: Int)
  /// A symbolic link, FIFO, device or folder where a file should be.
  case notRegular(path: String)
  /// A second PRF evaluation gave another output than the first, so nothing
  /// was written that only the first could open.
  case evaluationsDiffer
  /// No such wallet in this namespace.
  case noSuchWallet(RecordID)
  /// No such version of this wallet is among those that would be restored.
  case noSuchVersion(RecordID)
  /// No such key slot among those that are enrolled.
  case noSuchKeySlot
  /// The key slot that opened the backup was removed, and its file came back: it gets
  /// no successor.
  case keySlotRemoved
  /// It is the last key slot: nobody would open the backup any more.
  case lastKeySlot
  /// The key slot that is to be removed is the one that opened the backup, so
  /// that nothing shows that another one does.
  case opensByRemoved
  /// The CSPP envelope has to be given to another security key, and none opened
  /// the backup.
  case envelopeNeedsSecurityKey
  /// The master key cannot be rotated as the namespace stands now, for the
  /// reason told.
  case cannotRotate(RotationObstacle)
  /// A file of what this computer remembers is damaged, or a newer keybackup wrote it.
  case memoryUnusable(path: String, isNewer: Bool)
  /// A cryptographic call refused its parameters: a bug here.
  case internalError(String)
}
