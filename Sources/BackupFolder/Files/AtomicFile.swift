internal import CLinux
internal import Glibc
internal import SecretMemory

/// A file written so that a reader, a crash or a sync client sees all of it or nothing
/// (docs/format.md, rule 1).
///
/// A file is staged under a temporary name in the same folder, synced, read back and checked. Only
/// then does it get its name. Nothing is overwritten in place. The caller syncs the folder itself,
/// once per batch. A staged file that is never placed is removed with the value.
final class AtomicFile {
  /// The prefix of temporary file names; no reader matches it.
  static let temporaryPrefix = ".keybackup-tmp-"
  /// The tag of temporary files that may be somebody else's: of those that were moved aside, or that
  /// an exchange displaced.
  ///
  /// - Parameter tag: this computer's tag.
  /// - Returns: a tag that begins with it.
  static func displacedTag(_ tag: String) -> String { "\(tag)-gone" }
  /// A new temporary name for a file that is moved aside.
  ///
  /// No file has this random name yet, so a plain rename displaces nothing.
  static func displacedName(_ tag: String) -> String {
    let random = Hex.string(Randomness.bytes(count: 8))
    return "\(temporaryPrefix)\(displacedTag(tag))-\(random)"
  }
  /// Whether a name is that of a file that some computer staged, and not of one that it moved aside.
  static func isStaged(_ name: String) -> Bool {
    name.hasPrefix(temporaryPrefix) && !name.contains("-gone-")
  }
  /// How long a refused rename is retried.
  static let patience = Duration.seconds(3)

  let directory: Directory
  let temporaryName: String
  private let tag: String
  private var byteCount: Int
  private var descriptor: Int32
  private var temporary = Temporary.removable

  /// The file that has the temporary name.
  private enum Temporary {
    /// It may be removed: the staged bytes, or replaced ones that may be lost.
    case removable
    /// It may be somebody else's: only a look at its bytes can tell.
    case displaced
    /// There is none.
    case absent
  }

  /// Writes `bytes` under a temporary name, readable by the user only.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - directory: where it will be placed.
  ///   - tag: distinguishes this computer's temporary files from another's, so that a later run may
  ///     remove what a crash left.
  /// - Throws: ``BackupFolderError/diskFull(path:)`` and other system errors;
  ///   the temporary file is removed first.
  convenience init(
    staging bytes: RawSpan, in directory: Directory, tag: String
  ) throws(BackupFolderError) {
    let random = Hex.string(Randomness.bytes(count: 8))
    try self.init(
      staging: bytes, in: directory, as: "\(Self.temporaryPrefix)\(tag)-\(random)", tag: tag)
  }

  /// Writes `bytes` under a temporary name that the caller chooses.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - directory: where it will be placed.
  ///   - name: must not be in use.
  ///   - tag: as for ``init(staging:in:tag:)``; only a file that replaces another needs one.
  /// - Throws: as ``init(staging:in:tag:)``.
  init(
    staging bytes: RawSpan, in directory: Directory, as name: String, tag: String = ""
  ) throws(BackupFolderError) {
    self.directory = directory
    self.tag = tag
    byteCount = bytes.byteCount
    temporaryName = name
    let (file, code) = SystemCall.retrying {
      unsafe keybackup_openat(
        directory.descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
    descriptor = file
    if code != 0 {
      temporary = .absent
      throw .system(code, directory.path)
    }
    try write(bytes)
    _ = keybackup_start_sync(descriptor)
  }

  deinit {
    closeFile()
    if temporary == .removable { unsafe unlinkat(directory.descriptor, temporaryName, 0) }
  }

  private func closeFile() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  private func write(_ bytes: RawSpan) throws(BackupFolderError) {
    let file = descriptor
    let failure = unsafe bytes.withUnsafeBytes { bytes -> Int32 in
      var done = 0
      while done < bytes.count {
        let (wrote, code) = SystemCall.retrying {
          unsafe Glibc.write(
            file, bytes.baseAddress.unsafelyUnwrapped + done, bytes.count - done)
        }
        if code != 0 { return code }
        done += wrote
      }
      return 0
    }
    if failure != 0 { throw .system(failure, directory.path) }
  }

  /// Adds bytes to a file that is staged piece by piece.
  ///
  /// Begin with no bytes; check with ``settle(readingBack:)``.
  ///
  /// - Parameter bytes: the next bytes.
  /// - Throws: ``BackupFolderError/diskFull(path:)`` and other system errors.
  func append(_ bytes: RawSpan) throws(BackupFolderError) {
    try write(bytes)
    let before = byteCount
    byteCount += bytes.byteCount
    // The disk begins to work long before the file is complete.
    if before / Self.piecesToSync != byteCount / Self.piecesToSync {
      _ = keybackup_start_sync(descriptor)
    }
  }

  private static let piecesToSync = 8 << 20

  /// Puts a file that was staged piece by piece on the disk, and reads it back.
  ///
  /// - Parameter read: receives the bytes in pieces; its caller compares them before the file is
  ///   placed.
  /// - Throws: system errors; EIO if its size is not what was written.
  func settle(readingBack read: (RawSpan) -> Void) throws(BackupFolderError) {
    let code = SystemCall.sync(descriptor)
    if code != 0 { throw .system(code, directory.path) }
    let size = try FilePieces.read(descriptor, path: directory.path) {
      (piece) throws(BackupFolderError) in read(piece)
    }
    guard size == UInt64(byteCount) else { throw .io(errno: EIO, path: directory.path) }
    closeFile()
  }

  /// Puts the staged bytes on the disk, reads them back and checks them.
  ///
  /// - Parameters:
  ///   - buffer: memory to read into.
  ///   - isSynced: whether the whole file system has been synced since staging.
  ///   - check: whether the bytes are the intended ones; it opens and compares them.
  /// - Throws: system errors; EIO when the bytes are not what was written.
  func settle(
    buffer: inout FileBuffer, isSynced: Bool = false, check: (Span<UInt8>) -> Bool
  ) throws(BackupFolderError) {
    let file = descriptor
    if !isSynced {
      let code = SystemCall.sync(file)
      if code != 0 { throw .system(code, directory.path) }
    }
    do {
      try buffer.read(file, limit: byteCount)
    } catch {
      throw error.error(directory.path)
    }
    guard buffer.withBytes(check) else { throw .io(errno: EIO, path: directory.path) }
    closeFile()
  }

  /// Gives the staged file its name unless that name is taken.
  ///
  /// - Returns: `false` when something of that name exists; it stays as it is.
  func place(new name: String) throws(BackupFolderError) -> Bool {
    var code = try rename(to: name, flags: UInt32(RENAME_NOREPLACE))
    if code == EINVAL || code == ENOSYS || code == EOPNOTSUPP {
      // The file system does not know the flag. link(2) never replaces.
      let linked = SystemCall.retrying {
        unsafe linkat(directory.descriptor, temporaryName, directory.descriptor, name, 0)
      }
      code = linked.error
      if code == 0 {
        unsafe unlinkat(directory.descriptor, temporaryName, 0)
      } else if code != EEXIST {
        // No hard links either (exFAT): look, then rename.
        code = directory.holds(name) ? EEXIST : try rename(to: name, flags: 0)
      }
    }
    if code == EEXIST { return false }
    if code != 0 { throw .system(code, "\(directory.path)/\(name)") }
    temporary = .absent
    return true
  }

  /// Replaces another file with the staged one.
  ///
  /// - Parameters:
  ///   - name: the file to replace.
  ///   - buffer: memory for the replaced file's bytes.
  ///   - limit: the most bytes that the replaced file may have.
  ///   - mayGo: whether those bytes, as they are at that moment, may be lost.
  /// - Returns: `false` when they may not be lost; the file is then as it was.
  /// - Throws: ``BackupFolderError/busy(path:)`` and other system errors. If the replaced file may not
  ///   be lost and cannot go back, it keeps a temporary name.
  func place(
    replacing name: String, buffer: inout FileBuffer, limit: Int, mayGo: (Span<UInt8>) -> Bool
  ) throws(BackupFolderError) -> Bool {
    let code = try rename(to: name, flags: UInt32(RENAME_EXCHANGE))
    switch code {
    case 0:
      // The other file now has the temporary name.
      temporary = .displaced
      if directory.fileMayGo(temporaryName, buffer: &buffer, limit: limit, mayGo: mayGo) {
        temporary = .removable
        return true
      }
      try undoExchange(with: name)
      return false
    case ENOENT:
      return try place(new: name)
    case EINVAL, ENOSYS, EOPNOTSUPP:
      guard directory.fileMayGo(name, buffer: &buffer, limit: limit, mayGo: mayGo) else {
        return false
      }
      try place(overwriting: name)
      return true
    default:
      // A server may have done what it reports as failed.
      temporary = .displaced
      throw .system(code, "\(directory.path)/\(name)")
    }
  }

  /// Gives a displaced file its name back.
  private func undoExchange(with name: String) throws(BackupFolderError) {
    do throws(BackupFolderError) {
      var code = try rename(to: name, flags: UInt32(RENAME_EXCHANGE))
      if code == 0 {
        temporary = .removable
        return
      }
      // Somebody has removed the staged file meanwhile.
      if code == ENOENT { code = try directory.renameBack(temporaryName, to: name) }
      if code != 0 { throw .system(code, "\(directory.path)/\(name)") }
      temporary = .absent
    } catch {
      // Its name then says that it was not staged. A failure leaves it where it is.
      _ = try? directory.rename(temporaryName, to: Self.displacedName(tag), flags: 0)
      throw error
    }
  }

  /// Replaces another file with the staged one without checking it.
  ///
  /// Only for files outside the backup folder that no other program writes, and for objects, whose
  /// names say their bytes.
  func place(overwriting name: String) throws(BackupFolderError) {
    let code = try rename(to: name, flags: 0)
    if code != 0 { throw .system(code, "\(directory.path)/\(name)") }
    temporary = .absent
  }

  private func rename(to name: String, flags: UInt32) throws(BackupFolderError) -> Int32 {
    try directory.rename(temporaryName, to: name, flags: flags)
  }
}

extension Directory {
  /// The temporary files here with a tag.
  func temporaryFiles(tag: String) throws(BackupFolderError) -> [String] {
    let prefix = "\(AtomicFile.temporaryPrefix)\(tag)-"
    var found: [String] = []
    var names = try NameStream(self)
    // Most names are not looked at further.
    while let name = try names.next({
      $0.starts(with: ".keybackup-tmp-") ? String(repairing: $0) : ""
    }) {
      if name.hasPrefix(prefix) { found.append(name) }
    }
    return found
  }

  /// Removes temporary files with a tag, in a folder where nothing is ever displaced.
  ///
  /// What cannot be removed stays, such as a folder that somebody gave such a name.
  /// - Throws: system errors of the listing.
  func removeStaged(tag: String) throws(BackupFolderError) {
    for name in try temporaryFiles(tag: tag) { try? unlink(name) }
  }
}
