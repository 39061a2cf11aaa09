internal import CLinux
internal import Glibc

/// Lists a folder one name at a time, in no order, without `.` and `..`.
@safe
struct NameStream: ~Copyable {
  private let stream: OpaquePointer
  private let path: String

  /// Begins at the folder's first name.
  init(_ directory: Directory) throws(BackupFolderError) {
    // A descriptor of its own, since listing moves the offset and
    // closedir closes it.
    let (own, code) = SystemCall.retrying {
      unsafe keybackup_openat(directory.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    }
    if code != 0 { throw .listing(code, directory.path) }
    guard let stream = unsafe fdopendir(own) else {
      let code = errno
      close(own)
      throw .listing(code, directory.path)
    }
    unsafe self.stream = stream
    path = directory.path
  }

  deinit { unsafe closedir(stream) }

  /// Lends the next name.
  ///
  /// - Returns: what `body` made of it; nil at the end.
  /// - Throws: a listing that fails part way: what was not listed must not look
  ///   like what is not there.
  mutating func next<Result>(
    _ body: (Span<UInt8>) -> Result
  ) throws(BackupFolderError) -> Result? {
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        let failure = errno
        if failure != 0 { throw .listing(failure, path) }
        return nil
      }
      guard let start = unsafe keybackup_entry_name(entry) else { throw .system(EIO, path) }
      let name = unsafe UnsafeRawBufferPointer(start: start, count: strlen(start))
      let bytes = unsafe Span<UInt8>(_bytes: RawSpan(_unsafeBytes: name))
      if bytes.isEqual(to: ".") || bytes.isEqual(to: "..") { continue }
      return body(bytes)
    }
  }
}

extension String {
  /// The text of a name; what is no UTF-8 is repaired.
  init(repairing bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
