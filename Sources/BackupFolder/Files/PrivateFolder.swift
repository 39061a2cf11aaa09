internal import CSPP
internal import Glibc
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
  /// The files that could not be written, by their first names; others could.
  public private(set) var failed: [(name: String, error: BackupFolderError)] = []
  /// The number of files that were placed.
  public private(set) var placed = 0

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
  ///   - names: its final name, and others where the file system cannot have that one.
  /// - Returns: the name that it gets; nil: it could not be written, but others may be.
  /// - Throws: why no file can be written any more: ``BackupFolderError/diskFull(path:)`` and other
  ///   system errors. Files staged before are placed as far as possible.
  public mutating func write(
    _ bytes: borrowing SecretBytes, as names: [String]
  ) throws(BackupFolderError) -> String? {
    var problem: BackupFolderError?
    for name in names {
      do {
        staged.append((try stage(bytes, as: name), name, bytes.withBytes { Digest(of: $0) }))
      } catch {
        problem = problem ?? error
        continue
      }
      if staged.count == Self.groupSize { try place() }
      return name
    }
    guard let problem else { return nil }
    if endsAll(problem) {
      try? place()
      throw problem
    }
    failed.append((names[0], problem))
    return nil
  }

  private func stage(
    _ bytes: borrowing SecretBytes, as name: String
  ) throws(BackupFolderError) -> AtomicFile {
    let part = "\(name).keybackup-part"
    // A file of an interrupted run.
    try directory.unlink(part)
    return try bytes.withBytes { (bytes) throws(BackupFolderError) in
      try AtomicFile(staging: bytes, in: directory, as: part)
    }
  }

  /// Makes all staged files durable, reads them back, and gives each its name.
  ///
  /// A file that already has such a name stays as it is.
  ///
  /// - Throws: why no file can be written any more. Files that were not placed are then removed.
  public mutating func place() throws(BackupFolderError) {
    let group = staged
    staged = []
    if group.isEmpty { return }
    let isSynced =
      group.count >= Self.manyFiles && directory.canSyncAll && (try? directory.syncAll()) != nil
    var ending: BackupFolderError?
    for (file, name, digest) in group {
      do {
        try file.settle(buffer: &buffer, isSynced: isSynced) { Digest(of: $0) == digest }
        if try file.place(new: name) { placed += 1 } else { taken.append(name) }
      } catch {
        if endsAll(error) { ending = ending ?? error } else { failed.append((name, error)) }
      }
    }
    try directory.sync()
    if let ending { throw ending }
  }

  /// Whether an error of one file, under any name, means that no other one can be written.
  private func endsAll(_ error: BackupFolderError) -> Bool {
    switch error {
    case .diskFull, .permissionDenied: return true
    case .io(let code, _) where SystemCall.endsAllWriting(code): return true
    case .io(ENOENT, _):
      var status = stat()
      return unsafe fstat(directory.descriptor, &status) != 0 || status.st_nlink == 0
    default: return false
    }
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
