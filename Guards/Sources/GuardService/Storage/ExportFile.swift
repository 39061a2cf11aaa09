internal import Glibc
internal import SecretMemory

/// The new file of an export, which is made before the guard stops.
final class ExportTarget: Sendable {
  fileprivate let path: String
  fileprivate let file: CInt

  /// Makes a file that only its user can read; one that is there is not replaced.
  init(_ path: String) throws(GuardStoreError) {
    self.path = path
    file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .file(errno, path) }
  }

  deinit { if file >= 0 { close(file) } }

  /// Removes the file, in which there is nothing yet.
  func remove() { _ = unsafe unlink(path) }
}

/// An exported file: a first line, a line for each account, and a last line.
///
/// The last line has the number of accounts and the SHA-256 of all that precedes it. So a file that
/// was cut off is noticed.
struct ExportWriter: ~Copyable {
  static let format = "keybackup-guard-export-1"

  private let target: ExportTarget
  private var hash = SHA256()
  private var count = 0

  /// Writes the first line.
  init(_ target: ExportTarget, identity: [UInt8]) throws(GuardStoreError) {
    self.target = target
    // A database may have begun the transaction a second time.
    guard ftruncate(target.file, 0) == 0, lseek(target.file, 0, SEEK_SET) == 0 else {
      throw .file(errno, target.path)
    }
    try write(ExportedText.line([.text(Self.format), .bytes(identity)]), counts: false)
  }

  mutating func write(_ values: [SQLValue]) throws(GuardStoreError) {
    try write(ExportedText.line(values), counts: true)
  }

  private mutating func write(_ line: [UInt8], counts: Bool) throws(GuardStoreError) {
    unsafe hash.update(line.span.bytes)
    if counts { count += 1 }
    try put(line)
  }

  /// Writes the last line, durably.
  mutating func finish() throws(GuardStoreError) -> Int {
    var all = SHA256()
    swap(&all, &hash)
    let sum = all.finalize()
    try put(ExportedText.line([.number(Int64(count)), .bytes(sum)]))
    guard fsync(target.file) == 0 else { throw .file(errno, target.path) }
    let code = FolderSync.run(folderOf: target.path)
    guard code == 0 else { throw .file(code, target.path) }
    return count
  }

  private borrowing func put(_ line: [UInt8]) throws(GuardStoreError) {
    var start = 0
    while start < line.count {
      let count = unsafe line.withUnsafeBytes { line in
        unsafe Glibc.write(
          target.file, line.baseAddress.map { unsafe $0 + start },
          line.count - start)
      }
      guard count > 0 else {
        if count < 0, errno == EINTR { continue }
        throw .file(errno, target.path)
      }
      start += count
    }
  }
}

/// Reads an exported file line by line.
final class ExportReader {
  private let path: String
  private let file: CInt
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false

  init(_ path: String) throws(GuardStoreError) {
    self.path = path
    file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .file(errno, path) }
  }

  deinit { close(file) }

  /// The next line with its end; nil after the last.
  func line() throws(GuardStoreError) -> [UInt8]? {
    while true {
      if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        return Array(buffer[start...end])
      }
      guard !isAtEnd else {
        guard start == buffer.count else { throw .damaged("export") }
        return nil
      }
      buffer.removeSubrange(..<start)
      start = 0
      guard buffer.count < Self.longest else { throw .damaged("export") }
      try fill()
    }
  }

  /// More than the longest line: an account with all its releases and vetoes.
  private static let longest = 1 << 20

  private func fill() throws(GuardStoreError) {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe piece.withUnsafeMutableBytes { piece in
      unsafe read(file, piece.baseAddress, piece.count)
    }
    guard count >= 0 else { throw .file(errno, path) }
    if count == 0 { isAtEnd = true }
    buffer += piece[..<count]
  }
}
