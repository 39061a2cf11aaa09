internal import CLinux
internal import CSPP
internal import Glibc
internal import SecretMemory

/// Why a file gives no bytes.
enum FileProblem: Error, Equatable {
  /// No file of that name (it may have gone since it was listed).
  case absent
  /// Nothing in it, or only a sync client's placeholder: not yet synchronised.
  case incomplete
  /// A symbolic link, FIFO, socket, device or folder.
  case notRegular
  /// Larger than the limit in bytes.
  case tooLarge(limit: Int)
  /// The system call's `errno`.
  case system(Int32)
  /// Not tried any more: its folder's files cannot be had now.
  case notTried
  /// The command was asked to end meanwhile.
  case interrupted

  /// How a wallet stands whose file has this problem.
  var state: WalletState {
    switch self {
    case .incomplete, .notTried, .interrupted: .incomplete
    case .system(let code) where SystemCall.meansNotHere(code): .incomplete
    default: .unreadable
    }
  }

  /// Whether only the file's permissions are in the way.
  var isForbidden: Bool { self == .system(EACCES) || self == .system(EPERM) }

  /// The same as an error about `path`.
  func error(_ path: String) -> BackupFolderError {
    switch self {
    case .absent: .io(errno: ENOENT, path: path)
    case .incomplete: .incomplete(path: path)
    case .notRegular: .notRegular(path: path)
    case .tooLarge(let limit): .tooLarge(path: path, limit: limit)
    case .system(let code): .reading(code, path)
    case .notTried: .unreachable(errno: ETIMEDOUT, path: path)
    case .interrupted: .interrupted
    }
  }
}

/// One file's bytes, in memory that is used again for the next file.
///
/// What comes from the folder is sealed, and may be seen by anyone who sees the
/// folder; guarded memory all the same, so that it can be opened in place.
struct FileBuffer: ~Copyable {
  /// The bytes read last, or what they were made into.
  var bytes = SecretBytes(zeroed: 16 * 1024)

  /// What the file system said of the file that was read last, before it was.
  private(set) var stamp: FileStamp?

  /// Number of bytes read last.
  var count: Int { bytes.count }

  /// Parses the bytes read last.
  ///
  /// - Throws: what `body` throws; ``CSPPError/truncated`` in its place where
  ///   part of the file is still a hole.
  borrowing func parse<Result: ~Copyable>(
    _ body: (Span<UInt8>) throws(CSPPError) -> Result
  ) throws(CSPPError) -> Result {
    try withBytes { (bytes) throws(CSPPError) in
      do throws(CSPPError) {
        return try body(bytes)
      } catch {
        throw Self.hasHole(bytes) ? .truncated : error
      }
    }
  }

  /// Whether a stretch of zero bytes shows that a download that reserved its
  /// space has not filled it: no file of a backup has such a stretch.
  private static func hasHole(_ bytes: Span<UInt8>) -> Bool {
    var run = 0
    for index in bytes.indices {
      run = bytes[index] == 0 ? run + 1 : 0
      if run == 256 { return true }
    }
    return run >= 16
  }

  /// Lends the bytes read last.
  borrowing func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withBytes { (bytes) throws(Failure) in try body(Span(_bytes: bytes)) }
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
    bytes.resize(to: 0)
    stamp = nil
    if let access = directory.access {
      try access.read(name, in: directory, limit: limit, into: &bytes)
    } else {
      try readNow(name, in: directory, limit: limit)
    }
    if bytes.count == 0 || SyncPlaceholder.isPlaceholder(name) { throw .incomplete }
  }

  private mutating func readNow(
    _ name: String, in directory: Directory, limit: Int
  ) throws(FileProblem) {
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
  }

  /// Reads an open file from its start.
  mutating func read(_ file: Int32, limit: Int) throws(FileProblem) {
    bytes.resize(to: 0)
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else { throw .system(errno) }
    stamp = FileStamp(status)
    guard keybackup_is_regular(status.st_mode) != 0 else { throw .notRegular }
    guard status.st_size <= limit else { throw .tooLarge(limit: limit) }
    // One byte more than the size shows the end of the file in one call.
    bytes.reuse(count: Int(status.st_size) + 1)
    var filled = 0
    while true {
      if filled == bytes.count {
        if filled > limit { throw .tooLarge(limit: limit) }
        // The file has grown since.
        bytes.reserve(filled * 2)
        bytes.resize(to: filled * 2)
      }
      let offset = filled
      let room = bytes.count - offset
      let (got, code) = unsafe bytes.withUnsafeMutableBytes { bytes in
        SystemCall.retrying {
          unsafe pread(file, bytes.baseAddress.unsafelyUnwrapped + offset, room, off_t(offset))
        }
      }
      if code != 0 { throw .system(code) }
      filled += got
      // A short read ends a regular file only where its size says so.
      if got == 0 || (got < room && filled >= status.st_size) { break }
    }
    if filled > limit { throw .tooLarge(limit: limit) }
    bytes.resize(to: filled)
  }
}
