internal import CLinux
internal import CSPP
internal import Glibc
internal import SecretMemory

/// The reason why a file gives no bytes.
enum FileProblem: Error, Equatable {
  /// No file has that name; it may have been removed since it was listed.
  case absent
  /// The file is empty or only a sync client's placeholder: not yet synchronised.
  case incomplete
  /// The name belongs to a symbolic link, FIFO, socket, device or folder.
  case notRegular
  /// The file is larger than the limit in bytes.
  case tooLarge(limit: Int)
  /// A system call failed with this `errno`.
  case system(Int32)
  /// The file was not tried: the files of its folder cannot be read now.
  case notTried
  /// The command was asked to end while it waited.
  case interrupted

  /// The state of a wallet whose file has this problem.
  var state: WalletState {
    switch self {
    case .incomplete, .notTried, .interrupted: .incomplete
    case .system(let code) where SystemCall.meansNotHere(code): .incomplete
    default: .unreadable
    }
  }

  /// Whether only the file's permissions prevent reading.
  var isForbidden: Bool { self == .system(EACCES) || self == .system(EPERM) }

  /// The problem as an error about `path`.
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

/// One file's bytes, in memory that is reused for the next file.
///
/// Files of the folder are sealed, and anyone who sees the folder may see them. The memory is
/// guarded all the same, so that a file can be opened in place.
struct FileBuffer: ~Copyable {
  /// The bytes read last, or the result of opening them in place.
  var bytes = SecretBytes(zeroed: 16 * 1024)

  /// The number of bytes read last.
  var count: Int { bytes.count }

  /// The bytes, which then belong to the caller.
  consuming func takeBytes() -> SecretBytes { bytes }

  /// Parses the bytes read last.
  ///
  /// - Throws: what `body` throws; ``CSPPError/truncated`` instead where part of the file is still
  ///   a hole.
  borrowing func parse<Result: ~Copyable>(
    _ body: (Span<UInt8>) throws(CSPPError) -> Result
  ) throws(CSPPError) -> Result {
    try withBytes { (bytes) throws(CSPPError) in
      do throws(CSPPError) {
        return try body(bytes)
      } catch {
        throw unsafe bytes.bytes.hasHole ? .truncated : error
      }
    }
  }

  /// Lends the bytes read last.
  borrowing func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withBytes { (bytes) throws(Failure) in try body(Span(_bytes: bytes)) }
  }

  /// Reads a whole regular file.
  ///
  /// The size is checked before a byte is read. A FIFO or a device never blocks the read
  /// (`O_NONBLOCK`); a symbolic link is never followed.
  ///
  /// - Parameters:
  ///   - name: the file's name in `directory`.
  ///   - directory: its folder.
  ///   - limit: the most bytes it may have.
  /// - Throws: the reason why the file gives no bytes.
  mutating func read(
    _ name: String, in directory: Directory, limit: Int
  ) throws(FileProblem) {
    bytes.resize(to: 0)
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
    guard keybackup_is_regular(status.st_mode) != 0 else { throw .notRegular }
    guard status.st_size <= limit else { throw .tooLarge(limit: limit) }
    // One byte more than the size shows the end of the file in one call.
    bytes.reuse(count: Int(status.st_size) + 1)
    var filled = 0
    while true {
      if filled == bytes.count {
        if filled > limit { throw .tooLarge(limit: limit) }
        // The file has grown since fstat.
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
