// This folder is for this computer as a silent writer: what it keeps, and the order in which it
// writes. Nothing here needs or knows a master key. Nothing that lies in the folder stops it, but a
// folder with the name of its own file.

public import CSPP
internal import SecretMemory

/// A silent writer that this computer is, or has asked to become.
///
/// It holds no secret.
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
  /// The counter of the last operation that this computer has written as this writer.
  public let operations: UInt64
  /// Its files by their names.
  public let files: [PathComponent: FileID]
  /// The operations with the versions that this computer wrote last.
  public let versions: [FileID: Digest]
  /// The number of files that this computer saved as an earlier writer, and not since.
  public let filesBefore: Int
  /// The operations by which this computer has added wallets as this writer.
  let walletOperations: [RecordID: Operation.Seen]
  /// The same of the writers that this computer was before.
  let walletsBefore: [RecordID: Operation.Seen]
  /// The namespaces for which its key was authorised before; the master key was rotated since.
  public let earlier: Set<NamespaceID>
  /// The versions that this computer wrote last as this writer, of files that it did not remove since.
  let latest: [PathComponent: LatestVersion]
  /// The operation that authorised it; nil until the answer was accepted.
  let authorised: Operation.Seen?
  /// The last operation that this computer has written as this writer.
  let last: Operation.Seen?

  /// The wallets that this computer has added as this writer.
  public var wallets: Set<RecordID> { Set(walletOperations.keys) }
}

/// The version of a file that a silent writer wrote last.
struct LatestVersion: Equatable, Sendable {
  let operation: Operation.Seen
  /// Its object; nil if its contents are in the operation.
  let object: Digest?
  /// The size of its contents in bytes; nil where an older program wrote it.
  let size: UInt64?
}

extension BackupFolder {
  /// The silent writers that this computer is for this folder, and its open requests.
  ///
  /// They are in the order in which their answers were accepted; the last one is in force.
  ///
  /// - Throws: ``BackupFolderError/memoryUnusable(path:isNewer:)``; system errors.
  public func localSilentWriters() throws(BackupFolderError) -> [LocalSilentWriter] {
    guard let folder = try silentFolder(make: false) else { return [] }
    return try folder.states().sorted { ($0.order, $0.writerID) < ($1.order, $1.writerID) }
      .map { LocalSilentWriter($0) }
  }

  /// Makes and remembers a request to become a silent writer.
  ///
  /// - Parameters:
  ///   - label: the computer's name.
  ///   - known: the writer that this computer is already, to keep its key and its files after the
  ///     master key was rotated; nil for a new key.
  /// - Returns: the request.
  /// - Throws: ``BackupFolderError/silentWriter(_:)``; system errors.
  public func requestSilentWriting(
    label: PathComponent, continuing known: LocalSilentWriter? = nil
  ) throws(BackupFolderError) -> WriterRequest {
    let run = try SilentRun.begin(self)
    var before: SilentState?
    if let known {
      before = try run.folder.state(of: known.writerID)
      if before == nil { throw .silentWriter(.noSuchWriter) }
    }
    let state = SilentState(label: label, continuing: before)
    try run.save(state)
    guard let request = state.request else { throw .internalError("a request of the wrong size") }
    return request
  }

  /// Accepts the answer to a request of this computer.
  ///
  /// - Parameter line: the answer.
  /// - Returns: the writer.
  /// - Throws: ``BackupFolderError/silentWriter(_:)``; system errors.
  public func acceptSilentWriting(
    _ line: String
  ) throws(BackupFolderError) -> LocalSilentWriter {
    let run = try SilentRun.begin(self)
    let states = try run.folder.states()
    guard let found = try answered(line, among: states) else {
      throw .silentWriter(.noRequest)
    }
    let state = found.state
    state.grant = SilentState.Grant(
      namespaceID: found.answer.namespaceID, inbox: found.answer.inbox, may: found.answer.may,
      after: found.answer.after)
    state.writerSecret = found.answer.writerSecret.copy()
    state.answerSecret = nil
    state.order = (states.map(\.order).max() ?? 0) + 1
    for earlier in states where earlier.grant != nil && earlier.writerID != state.writerID {
      state.wallets.merge(earlier.wallets) { own, _ in own }
    }
    let before = states.filter {
      $0.signer.publicKey == state.signer.publicKey && $0.writerID != state.writerID
    }.sorted { $0.order < $1.order }
    for earlier in before where earlier.grant != nil {
      // What a crash left there is published first. Without that folder there is nowhere to.
      if let chain = try? run.chain(of: earlier.writerID, []) { try chain.recover(run) }
      state.files.merge(earlier.files.mapValues(\.takenOver)) { $1 }
    }
    try run.save(state)
    for earlier in before {
      try run.folder.state.directory.unlink(SilentState.fileName(earlier.writerID))
    }
    try run.folder.state.directory.sync()
    return LocalSilentWriter(state)
  }

  /// The request that an answer fits, for its fingerprint; nil if there is none.
  ///
  /// - Throws: ``BackupFolderError/silentWriter(_:)`` for a mistyped line; system errors.
  public func request(answeredBy line: String) throws(BackupFolderError) -> WriterRequest? {
    guard let folder = try silentFolder(make: false) else { return nil }
    return try answered(line, among: folder.states())?.state.request
  }

  private struct Answered: ~Copyable {
    let state: SilentState
    let answer: WriterAnswer
  }

  private func answered(
    _ line: String, among states: [SilentState]
  ) throws(BackupFolderError) -> Answered? {
    for state in states {
      guard let request = state.request, let secret = state.answerSecret?.copy() else { continue }
      do throws(AuthorisingLineMistake) {
        let answer = try WriterAnswer(opening: line, to: request, answerSecret: secret)
        return Answered(state: state, answer: answer)
      } catch {
        if error != .otherRequest { throw .silentWriter(.line(error)) }
      }
    }
    return nil
  }

  /// Forgets a silent writer or a request, with its secrets.
  ///
  /// - Throws: system errors.
  public func forgetSilentWriter(_ id: WriterID) throws(BackupFolderError) {
    let run = try SilentRun.begin(self)
    try run.folder.state.directory.unlink(SilentState.fileName(id))
    try run.folder.state.directory.sync()
  }

  /// Adds a version of a file without any key, durably.
  ///
  /// First finishes what a crash left.
  ///
  /// - Parameters:
  ///   - contents: the contents.
  ///   - name: the file's name, by which this writer knows it.
  ///   - writer: from ``localSilentWriters()``.
  ///   - again: whether contents that this computer wrote last make a version all the same: what it
  ///     wrote may have been removed or put aside since.
  ///   - admit: is called with the file that has the name, nil for a new one, while no other run of this
  ///     computer can write. What it throws ends the run.
  ///   - kept: is called with the file before another run can write.
  ///   - progress: receives the number of bytes that were sealed so far.
  /// - Returns: the version, or that this computer wrote the same contents last and they are here.
  /// - Throws: ``BackupFolderError/silentWriter(_:)``; ``FileObstacle/changedWhileReading``; system
  ///   errors.
  public func addSilently(
    _ contents: borrowing FileContents, name: PathComponent, as writer: LocalSilentWriter,
    again: Bool = false, admit: (FileID?) throws(BackupFolderError) -> Void = { _ in },
    kept: (FileID) -> Void = { _ in }, progress: (UInt64) -> Void = { _ in }
  ) throws(BackupFolderError) -> AddedVersion {
    let run = try SilentRun.begin(self)
    let chain = try run.chain(of: writer.writerID, .filePut)
    try admit(chain.state.files[name]?.id)
    let isRecovered = try chain.recover(run)
    let found = try contents.digest(unless: settings.watch.isInterrupted)
    var file = chain.state.files[name] ?? SilentState.File(id: .random())
    defer { kept(file.id) }
    if file.content == found.digest, try chain.holds(file, size: found.size) {
      // A run that was interrupted wrote this version, and it is published only now.
      if isRecovered, let last = chain.state.last, last.digest == file.version {
        return .added(file: file.id, operation: last, size: found.size)
      }
      if !again { return .unchanged(file: file.id) }
    }
    let seed = chain.state.signer.withSeed { SecretBytes(copying: $0) }
    let prepared = try ObjectFolder.prepare(
      contents, found: found, hedge: seed, in: chain.namespace, tag: run.tag,
      progress: progress)
    file.object = prepared.object?.name
    if let object = prepared.object { try ObjectFolder.place(object) }
    let replaces = file.version.map { [$0] } ?? []
    let content = prepared.version.content
    let size = prepared.version.size
    var builder = try chain.builder(run)
    do {
      try builder.filePut(file.id, name: name, version: prepared.version, replaces: replaces)
    } catch {
      throw .internalError("a version: \(error)")
    }
    let operation = try chain.seal(builder)
    file.version = operation.digest
    file.counter = operation.counter
    file.content = content
    file.size = size
    chain.state.files[name] = file
    try chain.publish(operation, run)
    return .added(file: file.id, operation: operation, size: size)
  }

  /// Adds wallets without any key, durably, in one operation; they count if they are new.
  ///
  /// - Parameters:
  ///   - batch: the wallets.
  ///   - writer: from ``localSilentWriters()``.
  /// - Returns: the operation.
  /// - Throws: ``SilentWriterObstacle/walletAdded(_:)`` for one that this computer added before and
  ///   that is here; ``BackupFolderError/silentWriter(_:)``;
  ///   ``BackupFolderError/tooLarge(path:limit:)`` for more than one operation holds; system errors.
  public func addSilently(
    _ batch: borrowing WalletBatch, as writer: LocalSilentWriter
  ) throws(BackupFolderError) -> Operation.Seen {
    let run = try SilentRun.begin(self)
    let chain = try run.chain(of: writer.writerID, .put)
    // One that a crash kept from being published is there now, and need not be added again.
    try chain.recover(run)
    for record in batch.records where try chain.hasAdded(record) {
      throw .silentWriter(.walletAdded(record))
    }
    var builder = try chain.builder(run)
    let mark = WalletEntry.Mark(writerID: writer.writerID, counter: chain.next.counter)
    for place in 0..<batch.count {
      let entry: SecretBytes
      do {
        let plain = batch.withEntry(place) { SecretBytes(copying: $0) }
        entry = try WalletEntry.marking(plain, with: mark)
      } catch {
        throw .invalidEntry(error)
      }
      builder.put(batch.items[place].record, entry: entry)
    }
    let operation = try chain.seal(builder)
    for record in batch.records { chain.state.wallets[record] = operation }
    try chain.publish(operation, run)
    return operation
  }

  /// Removes a file of this writer without any key, durably; its versions stay restorable.
  ///
  /// - Throws: ``BackupFolderError/silentWriter(_:)``; ``FileObstacle/noSuchFile``; system errors.
  public func removeSilently(
    name: PathComponent, as writer: LocalSilentWriter
  ) throws(BackupFolderError) {
    let run = try SilentRun.begin(self)
    let chain = try run.chain(of: writer.writerID, .fileRemove)
    try chain.recover(run)
    guard var file = chain.state.files[name], let version = file.version,
      file.content != nil || chain.isSetBack
    else { throw .file(.noSuchFile) }
    var builder = try chain.builder(run)
    builder.fileRemove(file.id, replaces: [version])
    let operation = try chain.seal(builder)
    file.content = nil
    chain.state.files[name] = file
    try chain.publish(operation, run)
  }

  /// Finishes what a crash left: publishes a remembered operation that is not here.
  ///
  /// - Throws: ``BackupFolderError/silentWriter(_:)``; system errors.
  public func finishSilentWriting(as writer: LocalSilentWriter) throws(BackupFolderError) {
    let run = try SilentRun.begin(self)
    try run.chain(of: writer.writerID, []).recover(run)
  }

  /// The file with the secret key of one of this computer's silent writers; nil if there is none.
  public func secretFile(of writer: WriterID) -> String? {
    guard let folder = (try? silentFolder(make: false))?.state.own,
      folder.holds(SilentState.fileName(writer))
    else { return nil }
    return "\(folder.path)/\(SilentState.fileName(writer))"
  }

  /// The folder of this computer's silent writers for this folder.
  func silentFolder(make: Bool) throws(BackupFolderError) -> SilentFolder? {
    do throws(BackupFolderError) {
      let memory = try StateFolder(path: settings.stateFolder, folder: root, make: make).directory
      let name = SilentFolder.name
      let folder = make ? try memory.makeSubdirectory(name) : try memory.subdirectory(name)
      return folder.map { SilentFolder(state: StateFolder(directory: $0)) }
    } catch {
      if !make, case .noSuchFolder = error { return nil }
      throw error
    }
  }
}
