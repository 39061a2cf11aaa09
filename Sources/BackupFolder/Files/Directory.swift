// This folder is for files and folders of a disk that may fail, hang or hold only part of a file.
// Other rooms stage and place files with AtomicFile, read them with FileBuffer, and list them with
// NameStream. This room knows no operation, view or key slot, nor the meaning of a file's bytes.

internal import CLinux
internal import Glibc

/// An open directory.
///
/// Everything below the backup folder is reached from an open directory, one step at a time and
/// never through a symbolic link. So nothing in the folder can lead a read or a write out of it.
final class Directory: Sendable {
  let descriptor: Int32
  /// The path for messages only; nothing is opened by it.
  let path: String
  /// The access for reads that may block; nil on a local disk.
  let access: FolderAccess?

  private init(descriptor: Int32, path: String, access: FolderAccess?) {
    self.descriptor = descriptor
    self.path = path
    self.access = access
  }

  deinit {
    close(descriptor)
  }

  /// Opens the folder that the user named; its path may be a symbolic link.
  ///
  /// - Parameters:
  ///   - path: the folder.
  ///   - watch: is called where reading blocks; nil where reading never blocks.
  /// - Returns: the open folder.
  /// - Throws: ``BackupFolderError/noSuchFolder(path:)``,
  ///   ``BackupFolderError/notAFolder(path:)``; system errors.
  static func open(
    path: String, watch: ReadingWatch? = nil
  ) throws(BackupFolderError) -> Directory {
    var access = watch.flatMap { MountKind.isRemote(path: path) ? FolderAccess($0) : nil }
    let (descriptor, code): (Int32, Int32)
    if let access {
      (descriptor, code) = try access.openFolder(path, in: nil, path: path)
    } else {
      (descriptor, code) = SystemCall.retrying {
        unsafe keybackup_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
      }
    }
    switch code {
    case 0:
      // A symbolic link in the path may have led to a remote file system.
      if access == nil, let watch, MountKind.isRemote(descriptor: descriptor) {
        access = FolderAccess(watch)
      }
      return Directory(descriptor: descriptor, path: path, access: access)
    case ENOENT: throw .noSuchFolder(path: path)
    case ENOTDIR: throw .notAFolder(path: path)
    default: throw .reading(code, path)
    }
  }

  /// Opens a folder that forbids listing, only to make files in it.
  ///
  /// - Parameter path: the folder.
  /// - Returns: the open folder, whose names no call makes durable.
  /// - Throws: as ``open(path:watch:)``.
  static func open(unlisted path: String) throws(BackupFolderError) -> Directory {
    // O_PATH, whose definition Swift does not import.
    let flags = 0o10_000_000 | O_DIRECTORY | O_CLOEXEC
    let (descriptor, code) = SystemCall.retrying {
      unsafe keybackup_openat(AT_FDCWD, path, flags, 0)
    }
    if code != 0 { throw .reading(code, path) }
    return Directory(descriptor: descriptor, path: path, access: nil)
  }

  /// Opens a subfolder; returns `nil` when there is none.
  ///
  /// - Throws: ``BackupFolderError/notAFolder(path:)`` for a file or a symbolic
  ///   link of that name.
  func subdirectory(_ name: String) throws(BackupFolderError) -> Directory? {
    try open(name, below: "\(path)/\(name)")
  }

  private func open(_ name: String, below: String) throws(BackupFolderError) -> Directory? {
    let (opened, code): (Int32, Int32)
    if let access {
      (opened, code) = try access.openFolder(name, in: self, path: below)
    } else {
      (opened, code) = SystemCall.retrying {
        unsafe keybackup_openat(
          descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
      }
    }
    switch code {
    case 0: return Directory(descriptor: opened, path: below, access: access)
    case ENOENT: return nil
    case ENOTDIR, ELOOP: throw .notAFolder(path: below)
    default: throw .reading(code, below)
    }
  }

  /// Opens a subfolder for reading; returns `nil` when there is none.
  ///
  /// Also returns `nil` when something else has its name, so that the other folders can still be
  /// read.
  func readableSubdirectory(_ name: String) throws(BackupFolderError) -> Directory? {
    do {
      return try subdirectory(name)
    } catch .notAFolder {
      return nil
    }
  }

  /// Opens another subfolder of this folder's parent; returns `nil` when there is none.
  ///
  /// It costs one call where there is none, and follows no symbolic link.
  ///
  /// - Parameter name: its name.
  /// - Returns: the folder; `nil` also when something else has its name.
  /// - Throws: ``BackupFolderError/interrupted``; system errors.
  func sibling(_ name: String) throws(BackupFolderError) -> Directory? {
    let parent = path.lastIndex(of: "/").map { path[..<$0] } ?? ".."
    do {
      return try open("../\(name)", below: "\(parent)/\(name)")
    } catch .notAFolder {
      return nil
    }
  }

  /// Opens a subfolder; creates it, private to the user, if there is none.
  func makeSubdirectory(_ name: String) throws(BackupFolderError) -> Directory {
    if let existing = try subdirectory(name) { return existing }
    let (_, code) = SystemCall.retrying { unsafe mkdirat(descriptor, name, 0o700) }
    guard code == 0 || code == EEXIST else { throw .system(code, "\(path)/\(name)") }
    try sync()
    guard let made = try subdirectory(name) else {
      throw .io(errno: ENOENT, path: "\(path)/\(name)")
    }
    return made
  }

  /// Removes an empty subfolder; returns whether it is gone.
  @discardableResult
  func removeEmptySubdirectory(_ name: String) -> Bool {
    unsafe unlinkat(descriptor, name, AT_REMOVEDIR) == 0
  }

  /// The names in this folder, sorted, without `.` and `..`.
  ///
  /// For folders with few files; ``NameStream`` needs no memory per name. Names that are not valid
  /// UTF-8 are returned repaired and then match no file. No known program writes such names.
  ///
  /// - Throws: as ``NameStream/next(_:)``.
  func names() throws(BackupFolderError) -> [String] {
    var names: [String] = []
    var stream = try NameStream(self)
    while let name = try stream.next({ String(repairing: $0) }) { names.append(name) }
    names.sort()
    return names
  }

  /// This folder's path as the kernel knows it, the same whatever links led here.
  func canonicalPath() -> String { String(decoding: canonicalPathBytes(), as: UTF8.self) }

  /// The bytes of ``canonicalPath()``, which need not be UTF-8.
  func canonicalPathBytes() -> [UInt8] {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = unsafe readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
    guard length > 0 else { return Array(path.utf8) }
    return buffer[..<length].map { UInt8(bitPattern: $0) }
  }
}
