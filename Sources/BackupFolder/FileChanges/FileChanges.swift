public import CSPP

extension OpenNamespace {
  /// Authorises a computer to write without the key.
  ///
  /// - Parameters:
  ///   - request: its request, whose fingerprint a person has compared.
  ///   - may: the changes that count.
  ///   - label: its name for people; nil for the one in the request.
  /// - Returns: the line that answers the request, and the operation.
  /// - Throws: ``BackupFolderError/silentWriter(_:)``; system errors.
  public mutating func authorise(
    _ request: WriterRequest, may: SilentWriter.Permissions, label: PathComponent? = nil
  ) throws(BackupFolderError) -> (answer: String, operation: Operation.Seen) { fatalError() }

  /// Retires a silent writer's key: what it writes from now on is held back.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - despiteGaps: whether to go on while operations of its chains are missing; these are then
  ///     held back when they arrive.
  /// - Throws: ``BackupFolderError/silentWriter(_:)``; ``FileObstacle/historyIncomplete``; system
  ///   errors.
  public mutating func retire(
    _ key: SigningKey, despiteGaps: Bool = false
  ) throws(BackupFolderError) { fatalError() }

  /// Adds a version of a file, durably.
  ///
  /// - Parameters:
  ///   - contents: the contents.
  ///   - name: the file's name.
  ///   - file: the file; nil for a new one.
  ///   - progress: receives the number of bytes that were sealed so far.
  /// - Returns: the version, or that it is the newest already.
  /// - Throws: ``FileObstacle/changedWhileReading``; ``FileObstacle/noSuchFile``; system errors.
  public mutating func addFile(
    _ contents: borrowing FileContents, name: PathComponent, to file: FileID? = nil,
    progress: (UInt64) -> Void = { _ in }
  ) throws(BackupFolderError) -> AddedVersion { fatalError() }

  /// Removes a file: its live versions no longer count, and stay restorable.
  ///
  /// - Throws: ``FileObstacle/noSuchFile``; ``FileObstacle/historyIncomplete``; system errors.
  public mutating func removeFile(
    _ file: FileID, despiteGaps: Bool = false
  ) throws(BackupFolderError) { fatalError() }

  /// Chooses a version: ends a conflict, accepts what is held back, brings back what was replaced or
  /// removed.
  ///
  /// - Throws: ``FileObstacle/noSuchVersion``; ``FileObstacle/historyIncomplete``; system errors.
  public mutating func choose(
    _ version: StoredVersion, despiteGaps: Bool = false
  ) throws(BackupFolderError) { fatalError() }

  /// Gives up versions of more than 64 KiB that have more than `kept` newer ones and were replaced
  /// for seven days by this computer's own count.
  ///
  /// - Parameter kept: the number of newer versions that stay.
  /// - Returns: what was given up.
  /// - Throws: ``FileObstacle/historyIncomplete``; system errors.
  public mutating func pruneFiles(
    keeping kept: Int = 10, despiteGaps: Bool = false
  ) throws(BackupFolderError) -> PrunedVersions { fatalError() }
}
