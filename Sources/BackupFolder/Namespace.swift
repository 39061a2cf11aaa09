public import CSPP
public import SecretMemory

/// One namespace of a folder, before its master key is known.
public struct Namespace: Sendable {
  /// Its ID, which is its folder's name.
  public let id: NamespaceID
  let directory: Directory
  let settings: BackupFolder.Settings
  let folder: Directory

  /// Whether this computer began to make this namespace and did not finish.
  ///
  /// ``resumeCreation(_:prfOutput:)`` then finishes it.
  public var isUnfinishedHere: Bool {
    get throws(BackupFolderError) { throw .internalError("not built yet") }
  }

  /// Reads the ways in, and lists what else is there. Needs no key.
  ///
  /// - Throws: ``BackupFolderError/incomplete(path:)`` when not one way in can
  ///   be read and some file is not synchronised;
  ///   ``BackupFolderError/dataInvalid(path:reason:)`` when there is none for
  ///   another reason; system errors.
  public func scan() throws(BackupFolderError) -> NamespaceScan {
    throw .internalError("not built yet")
  }

  /// Parses every wallet file and log file without opening any: what `verify`
  /// can say without a key.
  ///
  /// A wallet whose file parses counts as ``WalletState/current``.
  public func checkStructure() throws(BackupFolderError) -> WalletReport {
    throw .internalError("not built yet")
  }

  /// Opens the logs of all computers.
  ///
  /// - Parameter masterKey: from ``WayIn/unwrap(prfOutput:)``.
  /// - Throws: ``BackupFolderError/wrongKey`` when it is another namespace's;
  ///   system errors.
  public func open(
    _ masterKey: consuming MasterKey
  ) throws(BackupFolderError) -> OpenNamespace {
    throw .internalError("not built yet")
  }

  /// Finishes a namespace that this computer began and did not finish.
  ///
  /// - Parameters:
  ///   - way: its way in, from ``scan()``.
  ///   - prfOutput: 32 bytes, the way's PRF output.
  public func resumeCreation(
    _ way: WayIn, prfOutput: borrowing SecretBytes
  ) throws(BackupFolderError) -> OpenNamespace {
    throw .internalError("not built yet")
  }
}

/// What a namespace shows without a key.
public struct NamespaceScan: Equatable, Sendable {
  /// The ways in, by creation time.
  public internal(set) var waysIn: [WayIn] = []
  /// Files of ways in that do not parse or are not synchronised.
  public internal(set) var findings: [FileFinding] = []
  /// Number of files in `wallets/` and, by name, in the older place.
  public internal(set) var walletFiles = 0
  /// Number of files in all logs.
  public internal(set) var logFiles = 0
}
