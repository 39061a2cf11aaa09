internal import CLinux
internal import Glibc

/// Lists a folder one name at a time, in no order, without `.` and `..`.
@safe
struct NameStream: ~Copyable {
  /// The open listing; nil where the names came from the reading process.
  private let stream: OpaquePointer?
  private let path: String
  /// Names that were received all at once, each followed by a zero byte.
  private let names: [UInt8]
  private var place = 0

  /// Begins at the folder's first name.
  init(_ directory: Directory) throws(BackupFolderError) {
    let (stream, names) = try unsafe Self.begin(directory)
    unsafe self.stream = stream
    self.names = names
    path = directory.path
  }

  private static func begin(
    _ directory: Directory
  ) throws(BackupFolderError) -> (OpaquePointer?, [UInt8]) {
    if let access = directory.access { return (nil, try access.names(in: directory)) }
    // A separate descriptor, since listing moves the offset and closedir closes it.
    let (own, code) = SystemCall.retrying {
      unsafe keybackup_openat(directory.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    }
    if code != 0 { throw .listing(code, directory.path) }
    guard let stream = unsafe fdopendir(own) else {
      let code = errno
      close(own)
      throw .listing(code, directory.path)
    }
    return unsafe (stream, [])
  }

  deinit {
    if let stream = unsafe stream { unsafe closedir(stream) }
  }

  /// Lends the next name.
  ///
  /// - Returns: the result of `body`; nil at the end.
  /// - Throws: if the listing fails part way: a name that was not listed must not look like a
  ///   missing file.
  mutating func next<Result>(
    _ body: (Span<UInt8>) -> Result
  ) throws(BackupFolderError) -> Result? {
    guard let stream = unsafe stream else { return nextName(body) }
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

  private mutating func nextName<Result>(_ body: (Span<UInt8>) -> Result) -> Result? {
    guard place < names.count else { return nil }
    let end = names[place...].firstIndex(of: 0) ?? names.count
    let name = place..<end
    place = end + 1
    return body(names.span.extracting(name))
  }
}

extension String {
  /// The text of a name; bytes that are not valid UTF-8 are repaired.
  init(repairing bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
