internal import CSPP
internal import SecretMemory

/// A silent writer's own chain: what it follows, and how its next operation is written.
///
/// The order is what a crash at any moment needs: the object, the operation's bytes remembered, the
/// operation. Nothing that was published is ever removed, so no name of an object is remembered.
final class SilentChain {
  let state: SilentState
  let namespace: Namespace
  private(set) var next: OperationHeader
  /// Whether the folder has a newer operation of this writer than the state knows: the computer was set
  /// back, or copied.
  private(set) var isSetBack = false
  private let grant: SilentState.Grant
  private let folder: Directory
  private var isSynced = false
  /// Whether a temporary file is in the chain's folder.
  private var hasTemporaryFiles = false

  init(
    _ state: SilentState, _ grant: SilentState.Grant, namespace: Namespace, folder: Directory
  ) throws(BackupFolderError) {
    self.state = state
    self.grant = grant
    self.namespace = namespace
    self.folder = folder
    next = try Self.header(state, after: nil, namespace.id)
    let found = try highest()
    let now = namespace.settings.clock()
    isSetBack =
      (found?.counter ?? 0) > (state.last?.counter ?? 0) && Self.isLongAgo(state.setBackAt, now)
    next = try Self.header(state, after: found, namespace.id)
    // What it has written since may be of any of its files.
    guard isSetBack else { return }
    state.setBackAt = now
    for name in state.files.keys { state.files[name]?.content = nil }
  }

  // MARK: What it follows

  /// Whether a newer operation than the last one known may be noticed again.
  ///
  /// Once a day: two copies of one computer would write without an end, each after the other.
  private static func isLongAgo(_ last: UInt64?, _ now: UInt64) -> Bool {
    guard let last else { return true }
    return now < last || now - last > 86_400
  }

  /// The most files that are tried in search of the highest own operation.
  ///
  /// Where others planted more, the chain forks, and all branches count.
  private static let mostTried = 16

  /// Operations with this counter and higher ones are not followed.
  ///
  /// Who copied this computer's state can sign one. Half of all counters are left after it.
  private static let mostFollowed: UInt64 = 1 << 62

  /// The highest operation that this writer's key signed and that is here.
  ///
  /// A copy that a sync program made counts, too, but no other spelling, and no counter so high that none would be left after it.
  private func highest() throws(BackupFolderError) -> Operation.Seen? {
    var names: [(name: OperationName, file: String)] = []
    var stream = try NameStream(folder)
    let floor = state.last?.counter ?? 0
    while let file = try stream.next({ name -> String in
      if name.starts(with: ".keybackup-tmp-") { hasTemporaryFiles = true }
      return String(repairing: name)
    }) {
      // Nothing below the remembered one can be higher.
      let copied = LogFile.other(folder: state.writerID.hex, file: file).copied
      if let name = copied, name.counter >= max(1, floor), name.counter < Self.mostFollowed {
        names.append((name, file))
      }
    }
    names.sort {
      $0.name.counter != $1.name.counter
        ? $0.name.counter > $1.name.counter : ($0.name, $0.file) < ($1.name, $1.file)
    }
    var buffer = FileBuffer()
    for (name, file) in names.prefix(Self.mostTried) {
      if let last = state.last, last.name == name { return last }
      if let found = own(name, in: file, &buffer) { return found }
    }
    return nil
  }

  /// The operation in a file, if this writer's key signed it and it has this name.
  private func own(
    _ name: OperationName, in file: String, _ buffer: inout FileBuffer
  ) -> Operation.Seen? {
    let limit = namespace.settings.limits.sealedOperation
    guard (try? buffer.read(file, in: folder, limit: limit)) != nil else { return nil }
    let operation = buffer.withBytes {
      try? SealedOperationFile(parsing: $0, at: namespace.id, limit: limit)
    }
    guard let operation, operation.reference.name == name,
      (try? operation.verify(by: state.identity)) != nil
    else { return nil }
    return operation.reference
  }

  private static func header(
    _ state: SilentState, after found: Operation.Seen?, _ namespace: NamespaceID
  ) throws(BackupFolderError) -> OperationHeader {
    let before = [state.last, found].compactMap(\.self).max {
      ($0.counter, $0.digest) < ($1.counter, $1.digest)
    }
    do {
      return try OperationHeader(
        namespaceID: namespace, writerID: state.writerID, counter: (before?.counter ?? 0) + 1,
        previous: before?.digest)
    } catch {
      throw .internalError("operation header: \(error)")
    }
  }

  // MARK: Writing

  /// Finishes what a crash left.
  ///
  /// A remembered operation that is not here is published again. An object that no operation names
  /// stays: another copy of this computer may have published it.
  /// - Returns: whether it was published now.
  @discardableResult
  func recover(_ run: borrowing SilentRun) throws(BackupFolderError) -> Bool {
    try removeTemporaryFiles(run.tag)
    guard let last = state.last, try !holds(last.digest, counter: last.counter) else {
      return false
    }
    try place(last, run)
    // Losing it once more is to be told again.
    try? namespace.forgetAcceptedLoss(of: last.name)
    return true
  }

  /// Begins the next operation.
  func builder(_ run: borrowing SilentRun) throws(BackupFolderError) -> SealedOperationBuilder {
    SealedOperationBuilder(header: next, at: namespace.settings.clock(), after: grant.after)
  }

  /// Seals the operation, and takes its bytes into the state.
  ///
  /// - Returns: its name.
  func seal(
    _ builder: consuming SealedOperationBuilder
  ) throws(BackupFolderError) -> Operation.Seen {
    guard let secret = state.writerSecret?.copy() else { throw .silentWriter(.notAccepted) }
    do {
      let sealed = try builder.seal(
        inbox: grant.inbox, writerSecret: secret, signer: state.signer)
      state.last = sealed.seen
      state.lastFile = unsafe sealed.file.withUnsafeBytes { unsafe Array($0) }
      return sealed.seen
    } catch .tooLarge(let limit) {
      throw .tooLarge(path: FolderLayout.sealedFolder, limit: limit)
    } catch {
      throw .internalError("sealing an operation: \(error)")
    }
  }

  /// Remembers an operation that was sealed, and gives it its name.
  func publish(
    _ operation: Operation.Seen, _ run: borrowing SilentRun
  ) throws(BackupFolderError) {
    try run.save(state)
    try place(operation, run)
    next = try Self.header(state, after: operation, namespace.id)
  }

  private func place(
    _ operation: Operation.Seen, _ run: borrowing SilentRun
  ) throws(BackupFolderError) {
    if !isSynced { try syncFolders() }
    isSynced = true
    let bytes = state.lastFile
    let file = try unsafe AtomicFile(staging: bytes.span.bytes, in: folder, tag: run.tag)
    var buffer = FileBuffer()
    try file.settle(buffer: &buffer) { Digest(of: $0) == operation.digest }
    let name = FolderLayout.operationFile(counter: operation.counter, digest: operation.digest)
    if try !file.place(new: name) {
      // Other bytes than those of the name belong to nobody: a part that a sync program brought.
      let isPlaced = try file.place(
        replacing: name, buffer: &buffer, limit: namespace.settings.limits.sealedOperation
      ) { Digest(of: $0) != operation.digest }
      // A folder or a file that cannot be read has the name.
      if !isPlaced, try !holds(operation.digest, counter: operation.counter) {
        throw .notRegular(path: "\(folder.path)/\(name)")
      }
    }
    try folder.sync()
  }

  /// Whether an operation's file is here with its bytes.
  ///
  /// Nobody else writes into this folder: an emptied file is not one that still arrives.
  func holds(_ digest: Digest, counter: UInt64) throws(BackupFolderError) -> Bool {
    try folder.holds(
      digest, in: FolderLayout.operationFile(counter: counter, digest: digest),
      limit: namespace.settings.limits.sealedOperation)
  }

  /// Whether this computer has added a wallet, and the folder has it.
  ///
  /// What it added as an earlier writer was carried by a rotation, or lies beside: the CSPP file shows
  /// it. Its operation proves nothing, since the authorisation may be gone.
  func hasAdded(_ record: RecordID) throws(BackupFolderError) -> Bool {
    guard let operation = state.wallets[record] else { return false }
    if operation.writerID == state.writerID {
      return try namespace.holds(sealed: operation)
    }
    let folder = try namespace.walletFolder()
    let name = FolderLayout.walletFile(record)
    return folder?.holds(name) == true && folder?.size(of: name) != .some(.some(0))
  }

  /// Whether the version of a file that this computer wrote last is here.
  ///
  /// Somebody may have deleted it, or the folder was set back to an old copy.
  func holds(_ file: SilentState.File, size: UInt64) throws(BackupFolderError) -> Bool {
    guard let version = file.version, file.counter > 0 else { return false }
    if let object = file.object, try namespace.objects()?.holds(object, contents: size) != true {
      return false
    }
    return try holds(version, counter: file.counter)
  }

  /// Makes the names of the folders down to this chain durable, also those that others created.
  private func syncFolders() throws(BackupFolderError) {
    try namespace.syncFolders()
    if let own = try namespace.directory.readableSubdirectory(FolderLayout.ownFolder),
      let all = try own.readableSubdirectory(FolderLayout.sealedFolder)
    {
      try all.sync()
    }
  }

  private func removeTemporaryFiles(_ tag: String) throws(BackupFolderError) {
    // The search for the highest operation has listed the folder.
    if hasTemporaryFiles { try folder.removeStaged(tag: tag) }
    try namespace.objects()?.directory.removeStaged(tag: tag)
  }
}

extension SilentChain {
  /// The names of the folder of a writer's operations: the second one is used where something else has
  /// the first.
  static func folderNames(_ id: WriterID) -> [String] { [id.hex, "\(id)-again"] }
}

extension Directory {
  /// Whether a file here has the bytes of a digest.
  ///
  /// - Throws: if it cannot be read now.
  func holds(
    _ digest: Digest, in name: String, limit: Int
  ) throws(BackupFolderError) -> Bool {
    try self.digest(of: name, limit: limit) == digest
  }

  /// The digest of a file here; nil where there is no whole one.
  ///
  /// - Throws: if it cannot be read now.
  func digest(of name: String, limit: Int) throws(BackupFolderError) -> Digest? {
    var buffer = FileBuffer()
    do throws(FileProblem) {
      try buffer.read(name, in: self, limit: limit)
    } catch {
      switch error {
      case .absent, .incomplete, .notRegular, .tooLarge: return nil
      default: throw error.error("\(path)/\(name)")
      }
    }
    return buffer.withBytes { Digest(of: $0) }
  }
}
