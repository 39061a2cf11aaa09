internal import CLinux
internal import CSPP
internal import Glibc
public import SecretMemory

/// A folder outside the backup into which a command writes files for the user.
///
/// Each file appears whole, durable and checked, or not at all. A staged file is named
/// `<name>.<random digits>.keybackup-part`, so that it is visible, because it may be an unencrypted
/// secret. It is removed with the value if it is not placed. One that a crash left is removed when its
/// name is written again.
public struct PrivateFolder: ~Copyable {
  /// The number of files that are open at a time.
  private static let groupSize = 256
  /// The number of files from which one sync of the file system is faster than one sync per file.
  private static let manyFiles = 8

  private let directory: Directory
  private var leftOver: [String]
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
    directory = try Directory.open(writingTo: path)
    leftOver = directory.leftOverParts()
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

  private mutating func stage(
    _ bytes: borrowing SecretBytes, as name: String
  ) throws(BackupFolderError) -> AtomicFile {
    for part in leftOver where PartName.isOf(name, part) { try? directory.unlink(part) }
    return try bytes.withBytes { (bytes) throws(BackupFolderError) in
      try AtomicFile(staging: bytes, in: directory, as: PartName.new(name))
    }
  }

  /// Throws the error of the first file that could not be written, for a caller that writes only one.
  public func requireWritten() throws(BackupFolderError) {
    if let first = failed.first { throw first.error }
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

  /// Replaces a file that the caller has written, in one step.
  ///
  /// - Parameters:
  ///   - name: its name.
  ///   - bytes: the whole file.
  /// - Throws: system errors; the file is then as it was.
  public mutating func replace(
    _ name: String, with bytes: borrowing SecretBytes
  ) throws(BackupFolderError) {
    let file = try stage(bytes, as: name)
    let digest = bytes.withBytes { Digest(of: $0) }
    try file.settle(buffer: &buffer) { Digest(of: $0) == digest }
    try file.place(overwriting: name)
    try directory.sync()
  }
}

/// Small files that only this program writes, and that several runs may write at once.
extension PrivateFolder {
  private static let lockName = ".lock"
  private static let memoryTag = "memory"

  /// Replaces a file.
  ///
  /// - Parameters:
  ///   - bytes: the whole file, which holds no secret.
  ///   - name: its name.
  ///   - path: its folder, created if it does not exist.
  /// - Throws: as ``update(_:in:limit:_:)``.
  public static func replace(
    _ bytes: [UInt8], as name: String, in path: String
  ) throws(BackupFolderError) {
    try update(name, in: path, limit: 0) { _ in bytes }
  }

  /// Reads a file, changes it and writes it, with no other run in between.
  ///
  /// - Parameters:
  ///   - name: its name.
  ///   - path: its folder, created if it does not exist.
  ///   - limit: the most bytes that are read.
  ///   - change: receives the file's bytes, nil where none can be read; returns the whole new file,
  ///     which holds no secret, or nil to leave it as it is.
  /// - Throws: ``BackupFolderError/busy(path:)`` and other system errors; the file is then as it was.
  public static func update(
    _ name: String, in path: String, limit: Int, _ change: ([UInt8]?) -> [UInt8]?
  ) throws(BackupFolderError) {
    let directory = try Directory.make(path: path)
    let lock = try FileLock.take(lockName, in: directory)
    // Only the holder of the lock writes such files. Earlier programs left parts.
    try directory.removeStaged(tag: memoryTag)
    try directory.unlink(name + PartName.suffix)
    var buffer = FileBuffer()
    var known: [UInt8]?
    if (try? buffer.read(name, in: directory, limit: limit)) != nil {
      known = buffer.withBytes { bytes in
        unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
      }
    }
    if let bytes = change(known) {
      try unsafe directory.replace(name, with: bytes.span.bytes, tag: memoryTag)
      try directory.sync()
    }
    _ = consume lock
  }
}

extension Directory {
  /// Replaces a file of which the caller holds the lock, after checking the staged bytes.
  ///
  /// - Parameters:
  ///   - name: its name.
  ///   - bytes: the whole file.
  ///   - tag: of the temporary file.
  /// - Throws: system errors; the file is then as it was.
  func replace(
    _ name: String, with bytes: RawSpan, tag: String
  ) throws(BackupFolderError) {
    var buffer = FileBuffer()
    let file = try AtomicFile(staging: bytes, in: self, tag: tag)
    let digest = Digest(of: bytes)
    try file.settle(buffer: &buffer) { Digest(of: $0) == digest }
    try file.place(overwriting: name)
  }

  /// Opens a folder that may forbid listing, in order to make files in it.
  fileprivate static func open(writingTo path: String) throws(BackupFolderError) -> Directory {
    do {
      return try Directory.open(path: path)
    } catch .permissionDenied {
      return try Directory.open(unlisted: path)
    }
  }

  /// The parts of interrupted runs; none while another run may be writing here.
  ///
  /// Each run holds a shared lock of the folder, and looks for parts only if it is alone.
  fileprivate func leftOverParts() -> [String] {
    var found: [String] = []
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
      found = ((try? names()) ?? []).filter { $0.hasSuffix(PartName.suffix) }
    }
    _ = flock(descriptor, LOCK_SH | LOCK_NB)
    return found
  }
}

/// The names of files that were not placed yet.
private enum PartName {
  static let suffix = ".keybackup-part"
  private static let digits = 16

  /// A name that no other run takes.
  static func new(_ name: String) -> String {
    "\(stem(name)).\(Hex.string(Randomness.bytes(count: digits / 2)))\(suffix)"
  }

  /// Whether a part is that of a file; earlier programs put no digits into it.
  static func isOf(_ name: String, _ part: String) -> Bool {
    let stem = "\(stem(name))."
    return part == name + suffix
      || part.hasPrefix(stem) && part.hasSuffix(suffix)
        && part.utf8.count == stem.utf8.count + digits + suffix.utf8.count
  }

  /// The beginning of a name, which leaves room for the rest.
  private static func stem(_ name: String) -> Substring {
    var stem = name[...]
    while stem.utf8.count > 200 { stem.removeLast() }
    return stem
  }
}
