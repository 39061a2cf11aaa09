// The top folder of this module is for BackupFolder and Namespace: a folder, and a master key's
// part of it before any key is known. Later rooms extend both and keep what they add. Only the
// places, the settings and waiting for a change are here.

public import CSPP

/// A folder that another program synchronises and that holds backups.
public struct BackupFolder: Sendable {
  /// The folder's path as the user gave it, for messages.
  public let path: String
  let root: Directory
  let settings: Settings

  /// The caller's settings for a folder.
  public struct Settings: Sendable {
    /// The program's own folder (`$XDG_STATE_HOME/keybackup`), where this computer remembers what
    /// it saw.
    ///
    /// It is created when it is first written.
    public var stateFolder: String
    /// This computer's name for people; it is sealed into its operations.
    public var writerLabel: String
    /// The size limits of files that are read.
    public var limits: SizeLimits
    /// The plaintext size of wallets, in bytes, after which a batch continues in another operation.
    ///
    /// An operation is read as a whole, so this bounds the memory that every reader needs
    /// (docs/decisions/0006). 4 MiB hold about 7,000 wallets of usual size; the file then has 11
    /// MiB.
    public var operationSize = 4 << 20
    /// Returns the current time in Unix seconds.
    public var clock: @Sendable () -> UInt64
    /// Receives a call where reading blocks.
    public var watch = Watch()

    /// Creates settings that a command reads from its environment.
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

  /// The callbacks for reads that block.
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

  /// Forgets read failures, so that the files are tried again.
  public func forgetFailures() {
    root.access?.tryAgain()
  }
}
