internal import CSPP
public import SecretMemory

/// A folder outside the backup into which a command writes files for the user.
///
/// Each file appears whole, durable and checked, or not at all. A staged file is named
/// `<name>.keybackup-part`, so that it is visible, because it may be an unencrypted secret. It is
/// removed with the value if it is not placed.
public struct PrivateFolder: ~Copyable {
  /// The number of files that are open at a time.
  private static let groupSize = 256
  /// The number of files from which one sync of the file system is faster than one sync per file.
  private static let manyFiles = 8

  private let directory: Directory
  private var staged: [(file: AtomicFile, name: String, digest: Digest)] = []
  private var buffer = FileBuffer()
  /// Names that were already in use when a file was to be placed.
  public private(set) var taken: [String] = []

  /// Opens a folder.
  ///
  /// - Parameter path: the path as the user gave it.
  /// - Throws: ``BackupFolderError/noSuchFolder(path:)``; system errors.
  public init(path: String) throws(BackupFolderError) {
    directory = try Directory.open(path: path)
  }

  /// Stages a file, readable by the user only; places a group of files when enough are staged.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - name: its final name.
  /// - Throws: ``BackupFolderError/diskFull(path:)`` and other system errors; files staged before
  ///   are placed as far as possible.
  public mutating func write(
    _ bytes: borrowing SecretBytes, as name: String
  ) throws(BackupFolderError) {
    do {
      let part = "\(name).keybackup-part"
      // A file of an interrupted run.
      try directory.unlink(part)
      let file = try bytes.withBytes { (bytes) throws(BackupFolderError) in
        try AtomicFile(staging: bytes, in: directory, as: part)
      }
      staged.append((file, name, bytes.withBytes { Digest(of: $0) }))
    } catch {
      try? place()
      throw error
    }
    if staged.count == Self.groupSize { try place() }
  }

  /// Makes all staged files durable, reads them back, and gives each its name.
  ///
  /// A file that already has such a name stays as it is.
  ///
  /// - Throws: system errors; files that were not placed are then removed.
  public mutating func place() throws(BackupFolderError) {
    let group = staged
    staged = []
    if group.isEmpty { return }
    let isSynced = group.count >= Self.manyFiles && directory.canSyncAll
    if isSynced { try directory.syncAll() }
    for (file, name, digest) in group {
      try file.settle(buffer: &buffer, isSynced: isSynced) { Digest(of: $0) == digest }
      if try !file.place(new: name) { taken.append(name) }
    }
    try directory.sync()
  }

  /// Replaces a small file that only this program writes, in one step.
  ///
  /// - Parameters:
  ///   - bytes: the whole file, which holds no secret.
  ///   - name: its name.
  ///   - path: its folder, created if it does not exist.
  /// - Throws: system errors; the file is then as it was.
  public static func replace(
    _ bytes: [UInt8], as name: String, in path: String
  ) throws(BackupFolderError) {
    let directory = try Directory.make(path: path)
    let part = "\(name).keybackup-part"
    try directory.unlink(part)
    let file = try unsafe AtomicFile(staging: bytes.span.bytes, in: directory, as: part)
    var buffer = FileBuffer()
    let digest = Digest(of: bytes.span)
    try file.settle(buffer: &buffer) { Digest(of: $0) == digest }
    try file.place(overwriting: name)
    try directory.sync()
  }
}
