internal import CLinux
internal import Glibc
internal import SecretMemory

/// Reading a file of any size in memory that does not grow with it.
enum FilePieces {
  /// The size of a piece in bytes, 64 KiB.
  static let size = 64 * 1024

  /// Reads an open file from its start, in pieces.
  ///
  /// - Parameters:
  ///   - file: a descriptor.
  ///   - path: for messages.
  ///   - end: how many bytes are read at most.
  ///   - body: receives the pieces.
  /// - Returns: the number of bytes.
  /// - Throws: what `body` throws; system errors.
  @discardableResult
  static func read(
    _ file: Int32, path: String, upTo end: UInt64 = .max,
    _ body: (RawSpan) throws(BackupFolderError) -> Void
  ) throws(BackupFolderError) -> UInt64 {
    var buffer = SecretBytes(zeroed: size)
    var offset: UInt64 = 0
    while true {
      let next = Int(min(UInt64(size), end - offset))
      let count = try fill(&buffer, next, from: file, at: offset, path: path)
      if count == 0 { return offset }
      try buffer.withBytes { (bytes) throws(BackupFolderError) in try body(bytes) }
      offset += UInt64(count)
    }
  }

  /// Reads as many bytes as asked for, or up to the end.
  ///
  /// - Parameters:
  ///   - buffer: afterwards the bytes; its capacity is at least `count`.
  ///   - count: the number of bytes.
  ///   - file: a descriptor.
  ///   - offset: the place of the first byte.
  ///   - path: for messages.
  /// - Returns: the number of bytes.
  /// - Throws: system errors.
  @discardableResult
  static func fill(
    _ buffer: inout SecretBytes, _ count: Int, from file: Int32, at offset: UInt64, path: String
  ) throws(BackupFolderError) -> Int {
    buffer.reuse(count: count)
    var filled = 0
    while filled < count {
      let start = filled
      let (got, code) = unsafe buffer.withUnsafeMutableBytes { bytes in
        SystemCall.retrying {
          unsafe pread(
            file, bytes.baseAddress.unsafelyUnwrapped + start, count - start,
            off_t(offset) + off_t(start))
        }
      }
      if code != 0 { throw .reading(code, path) }
      if got == 0 { break }
      filled += got
    }
    buffer.resize(to: filled)
    return filled
  }

  /// The size of an open regular file; nil for anything else.
  static func status(_ file: Int32) -> (size: UInt64, modified: Int, mode: UInt32)? {
    var status = stat()
    guard unsafe fstat(file, &status) == 0, keybackup_is_regular(status.st_mode) != 0 else {
      return nil
    }
    return (UInt64(max(0, status.st_size)), status.st_mtim.tv_sec, status.st_mode)
  }

  /// Whether an open file of so many bytes has a hole, where its file system tells.
  static func hasHole(_ file: Int32, size: UInt64) -> Bool {
    // SEEK_HOLE of lseek(2), which Glibc shows to _GNU_SOURCE only. Reads here name their place.
    let hole = lseek(file, 0, 4)
    return hole >= 0 && UInt64(hole) < size
  }
}

extension Directory {
  /// Opens a regular file for reading, never through a symbolic link.
  ///
  /// - Returns: a descriptor, which the caller closes, and the file's size.
  /// - Throws: the reason why it cannot be read.
  func openFile(_ name: String) throws(FileProblem) -> (descriptor: Int32, size: UInt64) {
    let (file, code): (Int32, Int32)
    if let access {
      (file, code) = try access.openFile(name, in: self)
    } else {
      (file, code) = SystemCall.retrying {
        unsafe keybackup_openat(
          descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0)
      }
    }
    switch code {
    case 0: break
    case ENOENT: throw .absent
    case ELOOP, ENXIO: throw .notRegular
    default: throw .system(code)
    }
    guard let status = FilePieces.status(file) else {
      close(file)
      throw .notRegular
    }
    return (file, status.size)
  }

  /// The size of a file here without opening it; nil if there is none.
  ///
  /// Where reading may block, only whether it is there: the size is nil inside.
  func size(of name: String) -> UInt64?? {
    if let access { return access.holds(name, in: self) ? .some(nil) : nil }
    var status = stat()
    guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
      keybackup_is_regular(status.st_mode) != 0
    else { return nil }
    return .some(UInt64(max(0, status.st_size)))
  }
}

extension RawSpan {
  /// Whether a run of zero bytes shows an unfinished download that reserved its space.
  ///
  /// No file of a backup has such a run.
  var hasHole: Bool {
    var run = 0
    for place in 0..<byteCount {
      run = unsafe unsafeLoad(fromByteOffset: place, as: UInt8.self) == 0 ? run + 1 : 0
      if run == 256 { return true }
    }
    return run >= 16
  }
}
