internal import CLinux
internal import Glibc

/// Why a file gives no bytes.
enum FileProblem: Error, Equatable {
  /// No file of that name (it may have gone since it was listed).
  case absent
  /// Nothing in it, or only a sync client's stand-in: not yet synchronised.
  case incomplete
  /// A symbolic link, FIFO, socket, device or folder.
  case notRegular
  /// Larger than the limit in bytes.
  case tooLarge(limit: Int)
  /// The system call's `errno`.
  case system(Int32)

  /// The same as an error about `path`.
  func error(_ path: String) -> BackupFolderError {
    switch self {
    case .absent: .io(errno: ENOENT, path: path)
    case .incomplete: .incomplete(path: path)
    case .notRegular: .notRegular(path: path)
    case .tooLarge(let limit): .tooLarge(path: path, limit: limit)
    case .system(let code): .system(code, path)
    }
  }
}

/// One file's bytes, in memory that is used again for the next file.
///
/// Only what may be seen by anyone who sees the folder comes here: sealed bytes.
struct FileBuffer: ~Copyable {
  private var storage = [UInt8](repeating: 0, count: 16 * 1024)
  /// Number of bytes read last.
  private(set) var count = 0

  /// Lends the bytes read last.
  borrowing func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(storage.span.extracting(0..<count))
  }

  /// Reads a whole regular file.
  ///
  /// The size is checked before a byte is read; a FIFO or a device is never
  /// waited for (`O_NONBLOCK`), a symbolic link never followed.
  ///
  /// - Parameters:
  ///   - name: the file's name in `directory`.
  ///   - directory: where it lies.
  ///   - limit: the most bytes it may have.
  /// - Throws: why it gives no bytes.
  mutating func read(
    _ name: String, in directory: Directory, limit: Int
  ) throws(FileProblem) {
    count = 0
    let (file, code) = SystemCall.retrying {
      unsafe keybackup_openat(
        directory.descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0)
    }
    switch code {
    case 0: break
    case ENOENT: throw .absent
    case ELOOP, ENXIO: throw .notRegular
    default: throw .system(code)
    }
    defer { close(file) }
    try read(file, limit: limit)
    if count == 0 || Self.isPlaceholder(name) { throw .incomplete }
  }

  /// Reads an open file from its start.
  mutating func read(_ file: Int32, limit: Int) throws(FileProblem) {
    count = 0
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else { throw .system(errno) }
    guard keybackup_is_regular(status.st_mode) != 0 else { throw .notRegular }
    guard status.st_size <= limit else { throw .tooLarge(limit: limit) }
    // One byte more than the size shows the end of the file in one call.
    let wanted = Int(status.st_size) + 1
    if storage.count < wanted { storage = [UInt8](repeating: 0, count: wanted + wanted / 4) }
    var filled = 0
    while true {
      if filled == storage.count {
        if filled > limit { throw .tooLarge(limit: limit) }
        storage.append(contentsOf: repeatElement(0, count: filled))
      }
      let offset = filled
      let room = storage.count - offset
      let (got, code) = unsafe storage.withUnsafeMutableBytes { storage in
        SystemCall.retrying {
          unsafe pread(file, storage.baseAddress.unsafelyUnwrapped + offset, room, off_t(offset))
        }
      }
      if code != 0 { throw .system(code) }
      filled += got
      // A short read ends a regular file only where its size says so.
      if got == 0 || (got < room && filled >= status.st_size) { break }
    }
    if filled > limit { throw .tooLarge(limit: limit) }
    count = filled
  }

  /// Whether the name is that of a sync client's stand-in for a file that is
  /// still in the cloud.
  static func isPlaceholder(_ name: String) -> Bool {
    name.hasSuffix(".icloud") || name.hasSuffix(".nextcloud") || name.hasSuffix(".owncloud")
  }
}
