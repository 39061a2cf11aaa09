internal import CSPP
internal import Glibc
internal import SecretMemory

/// An object that is being written and has no name yet: contents are sealed piece by piece.
struct StagedObject: ~Copyable {
  private let objects: ObjectFolder
  private let file: AtomicFile
  private var sealer: ObjectSealer
  private var output: [UInt8] = []
  /// The number of bytes that were sealed so far.
  private(set) var count: UInt64 = 0

  /// - Parameters:
  ///   - objects: the folder.
  ///   - digest: the digest of the contents.
  ///   - seed: a secret of this computer, or of the namespace.
  ///   - tag: distinguishes this computer's temporary files.
  /// - Throws: system errors.
  init(
    in objects: ObjectFolder, expecting digest: Digest, hedge seed: borrowing SecretBytes,
    tag: String
  ) throws(BackupFolderError) {
    self.objects = objects
    file = try unsafe AtomicFile(staging: [UInt8]().span.bytes, in: objects.directory, tag: tag)
    sealer = ObjectSealer(hedge: seed, expecting: digest)
  }

  /// Seals the next piece.
  ///
  /// - Throws: ``BackupFolderError/tooLarge(path:limit:)``; ``BackupFolderError/interrupted``; system
  ///   errors.
  mutating func append(_ piece: RawSpan) throws(BackupFolderError) {
    if objects.isInterrupted() { throw .interrupted }
    do throws(CSPPError) {
      try sealer.seal(piece, into: &output)
    } catch {
      throw .tooLarge(path: FolderLayout.objectFolder, limit: Int(SizeLimits.file))
    }
    try unsafe file.append(output.span.bytes)
    count += UInt64(piece.byteCount)
  }

  /// Ends the contents, and reads the object back.
  ///
  /// - Parameters:
  ///   - modified: the time of the file's last change in Unix seconds.
  ///   - mode: its permission bits.
  /// - Returns: the version.
  /// - Throws: ``FileObstacle/changedWhileReading`` for other contents than those of the digest; system
  ///   errors.
  consuming func finish(
    modified: UInt64, mode: UInt16
  ) throws(BackupFolderError) -> PreparedVersion {
    while sealer.finish(into: &output) { try unsafe file.append(output.span.bytes) }
    let object: SealedObject
    do {
      object = try sealer.result()
    } catch {
      throw .file(.changedWhileReading)
    }
    var hash = SHA256()
    try file.settle { hash.update($0) }
    let name = object.name
    guard Digest(hash) == name else { throw .io(errno: EIO, path: objects.directory.path) }
    return PreparedVersion(
      version: NewFileVersion(object: object, modified: modified, mode: mode),
      object: (file, name))
  }
}
