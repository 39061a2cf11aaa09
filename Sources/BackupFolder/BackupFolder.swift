// The top folder of this module is for BackupFolder and Namespace, a folder and a master
// key's part of it before any key is known. Later rooms extend both. What they add stays
// with them: here are only the places, the settings, and waiting for a change.

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
    /// An operation is read as a whole: this bounds the memory that every
    /// reader needs (docs/decisions/0006). 4 MiB are some 7,000 wallets of usual
    /// size, and 11 MiB of file.
    public var operationSize = 4 << 20
    /// Unix seconds.
    public var clock: @Sendable () -> UInt64
    /// Who is told where reading blocks.
    public var watch = Watch()

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

  /// What a caller is told, and asked, while a read blocks.
  public typealias Watch = ReadingWatch

  /// Opens a folder; reads nothing yet.
  ///
  /// - Throws: ``BackupFolderError/noSuchFolder(path:)``,
  ///   ``BackupFolderError/notAFolder(path:)``,
  ///   ``BackupFolderError/permissionDenied(path:)``.
  public static func open(
    path: String, settings: Settings
  ) throws(BackupFolderError) -> BackupFolder {
    BackupFolder(
      path: path, root: try Directory.open(path: path, watch: settings.watch), settings: settings)
  }

  /// Forgets what could not be read, so that it is tried again.
  public func forgetFailures() {
    root.access?.tryAgain()
  }
}
