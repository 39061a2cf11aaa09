public import CSPP

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
    /// operation.
    ///
    /// Only the limit of an operation's file splits a batch by default: what
    /// is imported together is there together or not at all.
    public var operationSize = Int.max
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
}
