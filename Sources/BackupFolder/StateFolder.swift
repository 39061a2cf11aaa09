internal import CSPP
internal import Glibc
internal import SecretMemory

/// What this computer remembers of one backup folder, kept outside of it.
///
/// A few small files per namespace in `<state>/memory/<folder>/`, where
/// `<folder>` is the start of the SHA-256 of the folder's path. No secrets.
struct StateFolder: Sendable {
  let directory: Directory
  private static let memoryLimit = 64 * 1024 * 1024

  /// Takes a memory that is open.
  init(directory: Directory) {
    self.directory = directory
  }

  /// Opens the memory of `folder`.
  ///
  /// - Parameters:
  ///   - path: the program's state folder.
  ///   - folder: the backup folder.
  ///   - make: whether to make what is not there.
  /// - Throws: ``BackupFolderError/noSuchFolder(path:)``; system errors.
  init(path: String, folder: Directory, make: Bool) throws(BackupFolderError) {
    let name = String(
      Digest(of: Array(folder.canonicalPath().utf8).span).hex.prefix(32))
    if make {
      directory = try Directory.make(path: path).makeSubdirectory("memory").makeSubdirectory(name)
      return
    }
    guard let memory = try Directory.open(path: path).subdirectory("memory"),
      let directory = try memory.subdirectory(name)
    else { throw .noSuchFolder(path: "\(path)/memory/\(name)") }
    self.directory = directory
  }

  /// Takes the lock that every writing run holds.
  func lock(
    patience: Duration = FileLock.patience
  ) throws(BackupFolderError) -> FileLock {
    try FileLock.take("lock", in: directory, patience: patience)
  }

  /// Removes temporary files that a crash left here; only who holds the lock
  /// writes any.
  func removeLeftOvers() throws(BackupFolderError) {
    for name in try directory.names() where name.hasPrefix(AtomicFile.temporaryPrefix) {
      try directory.unlink(name)
    }
  }

  /// A random word in the names of this computer's temporary files; lasts as
  /// long as the state folder.
  func temporaryTag() throws(BackupFolderError) -> String {
    let name = "temporary-tag"
    var buffer = FileBuffer()
    do {
      try buffer.read(name, in: directory, limit: 64)
      let tag = buffer.withBytes { (bytes) in
        unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
      }
      if tag.utf8.count == 16, Self.isHex(tag) { return tag }
    } catch {
      // Not there yet, or of no use: made anew.
    }
    let tag = Hex.string(Randomness.bytes(count: 8))
    try replace(name, with: Array(tag.utf8))
    return tag
  }

  /// Replaces a file, and reads it back before.
  func replace(_ name: String, with bytes: [UInt8]) throws(BackupFolderError) {
    var buffer = FileBuffer()
    let file = try unsafe AtomicFile(staging: bytes.span.bytes, in: directory, tag: "memory")
    let digest = Digest(of: bytes.span)
    try file.settle(buffer: &buffer) { Digest(of: $0) == digest }
    try file.publish(overwriting: name)
  }

  /// The namespaces something is remembered of.
  func namespaces() throws(BackupFolderError) -> [NamespaceID] {
    try directory.names().compactMap { NamespaceID(hex: $0) }
  }

  /// What is remembered of a namespace; empty when nothing is, or when the
  /// file does not parse: then freshness is unknown, which is said.
  func memory(of namespace: NamespaceID) throws(BackupFolderError) -> Memory {
    var buffer = FileBuffer()
    do {
      try buffer.read(namespace.hex, in: directory, limit: Self.memoryLimit)
    } catch .absent {
      return Memory()
    } catch .incomplete {
      return Memory()
    } catch {
      throw error.error("\(directory.path)/\(namespace)")
    }
    return buffer.withBytes { Memory($0) } ?? Memory()
  }

  /// Replaces what is remembered of a namespace.
  func save(_ memory: Memory, of namespace: NamespaceID) throws(BackupFolderError) {
    try replace(namespace.hex, with: memory.bytes)
    try directory.sync()
  }

  private static func isHex(_ text: String) -> Bool {
    text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }

  /// Forgets a namespace: one that never came to be, or that is gone and whose
  /// loss a person has accepted.
  func forget(_ namespace: NamespaceID) throws(BackupFolderError) {
    NamespaceCache.remove(namespace, from: self)
    forgetWays(of: namespace)
    try directory.unlink(namespace.hex)
  }
}
