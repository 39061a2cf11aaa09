// This folder is for errors, findings, states and counts that callers of this module receive. Every
// room may use them. Nothing here reads, writes, or knows the origin of a value.

public import CSPP

/// The errors of a backup folder.
///
/// They contain paths, so that the user can look, and never secrets.
public enum BackupFolderError: Error, Equatable, Sendable {
  /// No folder at this path.
  case noSuchFolder(path: String)
  /// Something else than a folder is at this path.
  case notAFolder(path: String)
  /// The folder was listed in full and holds no namespace.
  case noNamespace(path: String)
  /// The folder holds several namespaces; the caller must name one.
  case severalNamespaces([NamespaceID])
  /// A namespace exists already; it is never overwritten.
  case namespaceExists([NamespaceID])
  /// Something is not yet synchronised: an empty or cut-off file, a placeholder, or a partial
  /// listing.
  ///
  /// It never means "no backup".
  case incomplete(path: String)
  /// A folder cannot be read now, with this `errno`: its sync program, network or disk does not
  /// respond.
  ///
  /// Its contents are not known to be lost.
  case unreachable(errno: Int32, path: String)
  /// The command was asked to end while it read a folder.
  case interrupted
  /// The operating system refuses to read or write this path.
  case permissionDenied(path: String)
  /// A system call failed with this `errno`.
  case io(errno: Int32, path: String)
  /// The disk or quota is full; files that were begun have been removed.
  case diskFull(path: String)
  /// Another program still holds this path after three seconds of retries.
  case busy(path: String)
  /// The key opened its wrapper but belongs to another namespace, or it opened nothing.
  case wrongKey
  /// The bytes do not parse or authenticate.
  case dataInvalid(path: String, reason: String)
  /// The file exceeds the size limit, which is in bytes.
  case tooLarge(path: String, limit: Int)
  /// A symbolic link, FIFO, device or folder is where a file should be.
  case notRegular(path: String)
  /// A second PRF evaluation gave a different output, so nothing was written that only the first
  /// could open.
  case evaluationsDiffer
  /// The namespace has no such wallet.
  case noSuchWallet(RecordID)
  /// The wallet has no such version among those that would be restored.
  case noSuchVersion(RecordID)
  /// No enrolled key slot has this ID.
  case noSuchKeySlot
  /// The key slot that opened the backup was removed and its file came back; it cannot be replaced.
  case keySlotRemoved
  /// The slot is the last one; without it nobody could open the backup, or only with guards.
  case lastKeySlot
  /// The slot needs guards, and no security key or recovery code would be beside it; or it was to
  /// replace one of these.
  case guardsAlone
  /// The slot to be removed is the one that opened the backup, so nothing shows that another one
  /// does.
  case opensByRemoved
  /// The CSPP envelope must be given to another security key, and no security key opened the
  /// backup.
  case envelopeNeedsSecurityKey
  /// The master key cannot be rotated in the namespace's present state, for this reason.
  case cannotRotate(RotationObstacle)
  /// A silent writer cannot be authorised, retired or used, for this reason.
  case silentWriter(SilentWriterObstacle)
  /// A file or one of its versions cannot be read or changed, for this reason.
  case file(FileObstacle)
  /// Something else than a folder is where this computer remembers backups.
  case memoryNotAFolder(path: String)
  /// A state file of this computer is damaged, or a newer keybackup wrote it.
  case memoryUnusable(path: String, isNewer: Bool)
  /// A cryptographic call rejected its parameters: a bug in this program.
  case internalError(String)
}
