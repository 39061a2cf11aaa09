internal import CSPP
public import SecretMemory

/// A folder outside of the backup that a command writes files for the person
/// into: each appears whole, durable and checked, or not at all.
///
/// What is staged lies there as `<name>.keybackup-part`, in sight, because it
/// may be a secret in plain; it goes with the value if it is not placed.
public struct PrivateFolder: ~Copyable {
  /// Files that are open at a time.
  private static let groupSize = 256
  /// Files from which on one sync of the file system takes less time than one
  /// of each.
  private static let manyFiles = 8

  private let directory: Directory
  private var staged: [(file: AtomicFile, name: String, digest: Digest)] = []
  private var buffer = FileBuffer()
  /// Names that something else had when a file was to be placed.
  public private(set) var taken: [String] = []

  /// Opens a folder.
  ///
  /// - Parameter path: as the person named it.
  /// - Throws: ``BackupFolderError/noSuchFolder(path:)``; system errors.
  public init(path: String) throws(BackupFolderError) {
    directory = try Directory.open(path: path)
  }

  /// Stages a file, readable by the user only; places some now and then.
  ///
  /// - Parameters:
  ///   - bytes: all of it.
  ///   - name: what it will be called.
  /// - Throws: ``BackupFolderError/diskFull(path:)`` and other system errors;
  ///   what was staged before is placed as far as it can be.
  public mutating func write(
    _ bytes: borrowing SecretBytes, as name: String
  ) throws(BackupFolderError) {
    do {
      let part = "\(name).keybackup-part"
      // Of a run that was cut off.
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

  /// Waits until all that was staged is on the disk, reads it back, and gives
  /// each file its name; what has a name already is left as it is.
  ///
  /// - Throws: system errors; what was not placed is gone then.
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
  ///   - bytes: all of it; no secret.
  ///   - name: what it is called.
  ///   - path: its folder, made if it is not there.
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
