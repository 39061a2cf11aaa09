internal import CSPP
internal import SecretMemory

extension OpenNamespace {
  /// The computers that were authorised to write without the key.
  public func silentWriters() -> [SilentWriterStatus] { fatalError() }

  /// Every file with the versions that are kept, ordered by name.
  ///
  /// Only verified operations count. Contents are not read.
  ///
  /// - Throws: if the objects cannot be listed.
  public func files() throws(BackupFolderError) -> [BackedUpFile] { fatalError() }

  /// Sealed files that nobody here authorised, that are damaged or incomplete, and changes in
  /// sealed operations that have no effect.
  public var sealedFindings: [FileFinding] { fatalError() }

  /// Reads the contents of a version, in pieces of at most 64 KiB.
  ///
  /// - Parameters:
  ///   - version: from ``files()``.
  ///   - sink: receives the pieces. Their file may get its name only after this call has returned:
  ///     until then the end may be missing or wrong.
  /// - Throws: ``BackupFolderError/file(_:)``; what `sink` throws; system errors.
  public func read(
    _ version: StoredVersion, into sink: (RawSpan) throws(BackupFolderError) -> Void
  ) throws(BackupFolderError) { fatalError() }
}
