public import CSPP
public import SecretMemory

/// A folder that some other program synchronises, holding backups.
public struct BackupFolder: Sendable {
  /// The folder as the person named it, for messages.
  public let path: String
  let root: Directory
  let settings: Settings

  /// What the caller decides for a folder.
  public struct Settings: Sendable {
    /// The program's own folder (`$XDG_STATE_HOME/keybackup`), where this
    /// computer remembers what it saw; made when it is first written.
    public var stateFolder: String
    /// This computer's name for people, sealed into its operations.
    public var writerLabel: String
    /// Largest files that are read.
    public var limits: SizeLimits
    /// Plaintext bytes of wallets after which a batch goes on in another
    /// operation, so that reading the log takes bounded memory: 4 MiB.
    public var operationSize = 4 * 1024 * 1024
    /// Unix seconds.
    public var clock: @Sendable () -> UInt64

    /// Settings that a command reads from its surroundings.
    public init(
      stateFolder: String, writerLabel: String, limits: SizeLimits = .standard,
      clock: @escaping @Sendable () -> UInt64
    ) {
      self.stateFolder = stateFolder
      self.writerLabel = writerLabel
      self.limits = limits
      self.clock = clock
    }
  }

  /// Opens a folder; reads nothing yet.
  ///
  /// - Throws: ``BackupFolderError/noSuchFolder(path:)``,
  ///   ``BackupFolderError/notAFolder(path:)``,
  ///   ``BackupFolderError/permissionDenied(path:)``.
  public static func open(
    path: String, settings: Settings
  ) throws(BackupFolderError) -> BackupFolder {
    BackupFolder(path: path, root: try Directory.open(path: path), settings: settings)
  }

  /// The namespaces here that hold at least one file, in order.
  ///
  /// - Throws: a listing that fails; that is never "none".
  public func namespaces() throws(BackupFolderError) -> [NamespaceID] {
    throw .internalError("not built yet")
  }

  /// Namespaces of this folder that this computer knew and that are gone.
  public func vanishedNamespaces() throws(BackupFolderError) -> [NamespaceID] {
    throw .internalError("not built yet")
  }

  /// One namespace.
  ///
  /// - Parameter id: which; nil when there is only one.
  /// - Throws: ``BackupFolderError/noNamespace(path:)``,
  ///   ``BackupFolderError/severalNamespaces(_:)``,
  ///   ``BackupFolderError/incomplete(path:)`` when there are folders without
  ///   a file in them: not yet synchronised.
  public func namespace(_ id: NamespaceID? = nil) throws(BackupFolderError) -> Namespace {
    throw .internalError("not built yet")
  }

  /// Makes a master key and writes a namespace with one way in.
  ///
  /// Order: the way's file, the CSPP envelope, the operation, this computer's
  /// memory. A failure before the operation is there removes what was written:
  /// nothing has been sealed under that master key yet.
  ///
  /// - Parameters:
  ///   - enrolment: the credential.
  ///   - prfOutput: 32 bytes, its PRF output for the enrolment's salt.
  ///   - confirmation: the output of a second evaluation.
  /// - Returns: the namespace, open.
  /// - Throws: ``BackupFolderError/namespaceExists(_:)`` when there is one,
  ///   finished or not (see ``Namespace/isUnfinishedHere``);
  ///   ``BackupFolderError/evaluationsDiffer``; ``BackupFolderError/diskFull(path:)``
  ///   and other system errors.
  public func create(
    _ enrolment: Enrolment, prfOutput: borrowing SecretBytes,
    confirmedBy confirmation: borrowing SecretBytes
  ) throws(BackupFolderError) -> OpenNamespace {
    throw .internalError("not built yet")
  }
}
