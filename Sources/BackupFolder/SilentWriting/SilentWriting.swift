// This folder is for this computer as a silent writer: what it keeps, and the order in which it
// writes. Nothing here needs or knows a master key, and nothing that lies in the folder stops it.

public import CSPP

/// A silent writer that this computer is, or has asked to become. It holds no secret.
public struct LocalSilentWriter: Equatable, Sendable {
  /// The ID of its chain.
  public let writerID: WriterID
  /// The key with which it signs.
  public let signingKey: SigningKey
  /// The label of its request.
  public let label: PathComponent
  /// The namespace for which it was authorised; nil until the answer was accepted.
  public let namespaceID: NamespaceID?
  /// The changes that may count.
  public let may: SilentWriter.Permissions
  /// The number of operations that this computer has written as this writer.
  public let operations: UInt64
  /// The names of its files.
  public let files: [PathComponent: FileID]
}

extension BackupFolder {
  /// The silent writers that this computer is for this folder, and its open requests.
  ///
  /// - Throws: ``BackupFolderError/memoryUnusable(path:isNewer:)``; system errors.
  public func localSilentWriters() throws(BackupFolderError) -> [LocalSilentWriter] { fatalError() }

  /// Makes and remembers a request to become a silent writer.
  ///
  /// - Parameter label: the computer's name.
  /// - Returns: the request.
  /// - Throws: system errors.
  public func requestSilentWriting(
    label: PathComponent
  ) throws(BackupFolderError) -> WriterRequest { fatalError() }

  /// Accepts the answer to a request of this computer.
  ///
  /// - Parameter line: the answer.
  /// - Returns: the writer.
  /// - Throws: ``BackupFolderError/silentWriter(_:)``; system errors.
  public func acceptSilentWriting(
    _ line: String
  ) throws(BackupFolderError) -> LocalSilentWriter { fatalError() }

  /// The request that an answer fits, for its fingerprint; nil if there is none.
  public func request(answeredBy line: String) throws(BackupFolderError) -> WriterRequest? {
    fatalError()
  }

  /// Forgets a silent writer or a request, with its secrets.
  public func forgetSilentWriter(_ id: WriterID) throws(BackupFolderError) { fatalError() }

  /// Adds a version of a file without any key, durably.
  ///
  /// First finishes what a crash left.
  ///
  /// - Parameters:
  ///   - contents: the contents.
  ///   - name: the file's name, by which this writer knows it.
  ///   - writer: from ``localSilentWriters()``.
  ///   - progress: receives the number of bytes that were sealed so far.
  /// - Returns: the version, or that this computer wrote the same contents last.
  /// - Throws: ``BackupFolderError/silentWriter(_:)``; ``FileObstacle/changedWhileReading``; system
  ///   errors.
  public func addSilently(
    _ contents: borrowing FileContents, name: PathComponent, as writer: LocalSilentWriter,
    progress: (UInt64) -> Void = { _ in }
  ) throws(BackupFolderError) -> AddedVersion { fatalError() }

  /// Adds wallets without any key, durably, in one operation; they count if they are new.
  ///
  /// - Returns: the operation.
  /// - Throws: ``BackupFolderError/silentWriter(_:)``; ``BackupFolderError/tooLarge(path:limit:)``
  ///   for more than one operation holds; system errors.
  public func addSilently(
    _ batch: borrowing WalletBatch, as writer: LocalSilentWriter
  ) throws(BackupFolderError) -> Operation.Seen { fatalError() }

  /// Removes a file of this writer without any key, durably; its versions stay restorable.
  public func removeSilently(
    name: PathComponent, as writer: LocalSilentWriter
  ) throws(BackupFolderError) { fatalError() }

  /// Finishes what a crash left: publishes a remembered operation that is not here.
  public func finishSilentWriting(
    as writer: LocalSilentWriter
  ) throws(BackupFolderError) { fatalError() }
}
