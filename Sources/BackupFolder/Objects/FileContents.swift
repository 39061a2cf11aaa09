// This folder is for the contents of files: where they come from, and the objects in which they lie
// encrypted. Objects are written and read piece by piece. Which version names an object is not
// known here.

internal import CSPP
internal import Glibc
public import SecretMemory

/// The contents of a file that is to be backed up, which are read twice.
public struct FileContents: ~Copyable {
  private let descriptor: Int32
  private let bytes: SecretBytes?
  private let path: String
  /// The time of the last change in Unix seconds.
  public let modified: UInt64
  /// The permission bits.
  public let mode: UInt16
  /// The size in bytes when it was opened.
  public let size: UInt64

  /// Takes the contents from an open file.
  ///
  /// - Parameters:
  ///   - descriptor: a regular file, opened for reading; the caller closes it afterwards.
  ///   - path: its path for messages.
  /// - Throws: ``BackupFolderError/notRegular(path:)``; ``BackupFolderError/tooLarge(path:limit:)``
  ///   beyond `SizeLimits.file`; system errors.
  public init(descriptor: Int32, path: String = "the file") throws(BackupFolderError) {
    guard let status = FilePieces.status(descriptor) else { throw .notRegular(path: path) }
    try Self.check(status.size)
    self.descriptor = descriptor
    self.path = path
    bytes = nil
    modified = UInt64(max(0, status.modified))
    mode = UInt16(truncatingIfNeeded: status.mode & 0o7777)
    size = status.size
  }

  /// Takes contents that are in memory.
  public init(bytes: consuming SecretBytes, modified: UInt64, mode: UInt16) {
    descriptor = -1
    path = ""
    size = UInt64(bytes.count)
    self.bytes = consume bytes
    self.modified = modified
    self.mode = mode & 0o7777
  }

  /// Passes the contents on in pieces of at most 64 KiB.
  ///
  /// - Parameters:
  ///   - end: how many bytes at most: a file may grow all the time.
  ///   - body: receives the pieces.
  /// - Throws: what `body` throws; system errors.
  borrowing func forEachPiece(
    upTo end: UInt64 = .max, _ body: (RawSpan) throws(BackupFolderError) -> Void
  ) throws(BackupFolderError) {
    guard bytes != nil else {
      try FilePieces.read(descriptor, path: path, upTo: end, body)
      return
    }
    var start = 0
    while start < Int(size) {
      let end = min(Int(size), start + FilePieces.size)
      try bytes?.withBytes { (bytes) throws(BackupFolderError) in
        try body(bytes.extracting(start..<end))
      }
      start = end
    }
  }

  /// The digest of the contents and their size.
  ///
  /// - Parameter isInterrupted: whether to give up.
  /// - Returns: both.
  /// - Throws: ``BackupFolderError/interrupted``; system errors.
  borrowing func digest(
    unless isInterrupted: () -> Bool
  ) throws(BackupFolderError) -> (digest: Digest, size: UInt64) {
    var hash = SHA256()
    var size: UInt64 = 0
    try forEachPiece { (piece) throws(BackupFolderError) in
      if isInterrupted() { throw .interrupted }
      hash.update(piece)
      size += UInt64(piece.byteCount)
      // It may grow while it is read.
      try Self.check(size)
    }
    return (Digest(hash), size)
  }

  private static func check(_ size: UInt64) throws(BackupFolderError) {
    guard size <= SizeLimits.file else {
      throw .tooLarge(path: FolderLayout.objectFolder, limit: Int(SizeLimits.file))
    }
  }

  /// Small contents as a whole; nil if they are larger than an operation may hold.
  ///
  /// - Parameter end: their size.
  /// - Returns: the contents.
  /// - Throws: system errors.
  borrowing func inline(upTo end: UInt64) throws(BackupFolderError) -> SecretBytes? {
    var whole = SecretWriter(capacity: SizeLimits.inlineFile + FilePieces.size)
    if end > UInt64(SizeLimits.inlineFile) { return nil }
    try forEachPiece(upTo: end) { (piece) throws(BackupFolderError) in
      whole.raw(piece)
    }
    return whole.finish()
  }
}

extension Digest {
  /// The result of a hash.
  init(_ hash: consuming SHA256) {
    let bytes = hash.finalize()
    guard let digest = Digest(bytes: bytes) else { preconditionFailure("32 bytes") }
    self = digest
  }
}
