public import CSPP
public import SecretMemory

/// A namespace whose master key is known and whose logs have been opened.
///
/// Reading never writes to the folder. Every writing call takes this computer's
/// lock, reads what other programs logged meanwhile, and completes what a
/// crash left undone.
public struct OpenNamespace: ~Copyable {
  /// The namespace.
  public let id: NamespaceID
  /// The key slot that opened it; nil for another program's envelope, and for a
  /// master key that this computer knew.
  public internal(set) var openedBy: KeyID?
  /// Whether the logs are whole, and the newest this computer has seen.
  public internal(set) var health = LogHealth()
  /// Log files that do not open or are not synchronised.
  public var logFindings: [FileFinding] { log.findings + earlierFindings }
  /// Whether a newer program wrote changes that are not known here.
  public var hasUnknownChanges: Bool { log.hasUnknownChanges }

  /// Why the last writing call could not bring the CSPP files in line with the
  /// log; nil when it could.
  ///
  /// What was asked for is done and durable: the log holds it, readers that
  /// know the log show it, and the next writing call tries again.
  public internal(set) var viewProblem: BackupFolderError?

  /// What the last call that adds wallets added, also when it failed.
  public internal(set) var lastAdded = Added()

  /// Key slots that the last writing call removed because the one that opened the
  /// backup, which takes their place, is proved by that.
  public internal(set) var finishedRotations: Set<KeyID> = []

  /// What writing calls have put right about the files of key slots.
  public internal(set) var keySlotRepairs = KeySlotRepairs()

  /// The key slot of which it is certain that it opened the backup in this run: an
  /// envelope says itself whose it is, and one that was only made opened nothing.
  var provedBy: KeyID?
  let namespace: Namespace
  let masterKey: MasterKey
  /// The security key that opened it, as far as it was said.
  var opener: Opener?
  /// Whether an envelope that fits no enrolled key may be replaced.
  var replacesForeign = false
  /// Key slots whose files go although they opened the backup: the last ones.
  var deletable: Set<KeyID> = []
  var log = OperationLog()
  var memory = LocalState()
  var reader: WalletReader
  private(set) var purpose: Purpose
  /// Whether the logs were read.
  private(set) var isLoaded = false
  /// What the wallets' files held when they were last opened; nil until a
  /// writing run asks.
  var stamps: ViewStamps?
  /// Files that this run wrote, with their stamps before they got their names.
  var published: [ViewStamps.Entry] = []
  /// The namespaces that this one follows, as far as they are here.
  var earlier: [EarlierNamespace] = []
  /// Master keys of namespaces that belong to the same backup and that this one
  /// does not follow yet: they are read like earlier ones.
  var others: [SharedMasterKey] = []
  /// Those of them that a rotation on another computer has finished.
  var rivals: Set<NamespaceID> = []
  /// Why some of them could not be opened.
  var earlierProblems: [FileFinding] = []
  /// The namespaces that followed this one when its logs were first read: whoever
  /// writes here all the same knows of them.
  private(set) var knownSuccessors: Set<NamespaceID>?
  /// How far this namespace's chains were carried over into the one that was opened; nil: it is
  /// that one, or it was not told.
  var carriedEnds: [Operation.Seen]?
  /// The namespaces that whoever opened this one has open beside it.
  var lineage: Set<NamespaceID> = []

  /// What a namespace is opened for.
  public enum Purpose: Sendable {
    /// Everything is read, and checked by that.
    case reading
    /// To add or remove: what this computer read before need not be read again.
    /// ``OpenNamespace/forEachWallet(_:)`` reads it all the same.
    case writing
  }

  init(
    _ namespace: Namespace, masterKey: consuming MasterKey, by key: KeyID?, purpose: Purpose
  ) {
    id = namespace.id
    openedBy = key
    self.purpose = purpose
    self.namespace = namespace
    reader = WalletReader(masterKey, limit: namespace.settings.limits.record)
    self.masterKey = masterKey
  }

  /// Opens a namespace's logs.
  ///
  /// - Parameters:
  ///   - namespace: which.
  ///   - masterKey: its key.
  ///   - key: the key slot that gave it.
  ///   - purpose: what is to be done with it.
  ///   - isReading: `false` for a caller that holds the lock and remembers by
  ///     itself.
  /// - Returns: the namespace, open.
  /// - Throws: ``BackupFolderError/wrongKey``; a listing that fails.
  static func open(
    _ namespace: Namespace, masterKey: consuming MasterKey, by key: KeyID? = nil,
    purpose: Purpose = .reading, isReading: Bool = true
  ) throws(BackupFolderError) -> OpenNamespace {
    guard masterKey.namespaceID == namespace.id else { throw .wrongKey }
    var open = OpenNamespace(namespace, masterKey: masterKey, by: key, purpose: purpose)
    // A writing run reads the logs when it has the lock.
    if purpose == .writing { return open }
    try open.load()
    // Reading must work where nothing can be remembered: a full disk, a foreign
    // machine, a long write next door. The next run then says that freshness is
    // unknown, or remembers.
    if isReading {
      try? open.remember()
      open.rememberKeySlots(isLocked: false)
    }
    return open
  }

  /// Reads the logs and compares them with what is remembered.
  mutating func load() throws(BackupFolderError) {
    // Getting wallets back does not depend on what this computer remembers: what
    // cannot be read counts as nothing, and freshness as unknown.
    let state = try? namespace.state(make: false)
    memory = (try? state?.memory(of: id)) ?? LocalState()
    var known: OperationLog?
    if purpose == .writing {
      known = log
      if log.index.nodes.isEmpty, let state {
        let cache = NamespaceCache.load(id, from: state, masterKey: masterKey)
        known = cache.log
        stamps = cache.view
      }
    }
    log = try OperationLog.read(
      namespace, masterKey: masterKey, known: known, isTolerant: purpose == .reading)
    log.limitCovering(to: carriedEnds)
    isLoaded = true
    knownSuccessors = knownSuccessors ?? Set(log.links.successors.map(\.id))
    try loadEarlier()
    judgeLogs()
  }

  /// Compares the logs with each other and with the memory.
  mutating func judgeLogs() {
    health = namespace.health(
      of: log.index, memory: memory, unsynchronised: log.problems.awaited(memory),
      damaged: log.damaged)
    health.afterRetirement = log.writesAfterRetirement().values.reduce(0, +)
    health.successor = log.links.successors.map(\.id).min()
    judgeEarlier()
  }

  /// Reads the logs again, which a sync program may have added to.
  ///
  /// - Throws: as ``Namespace/open(_:)``.
  public mutating func readAgain() throws(BackupFolderError) {
    purpose = .reading
    try load()
  }

  /// Adds what was opened to the memory.
  ///
  /// What another run has saved since (an operation, an acceptance) is read
  /// again under the lock, so that it is not undone.
  mutating func remember() throws(BackupFolderError) {
    let names = log.index.names
    if memory.operations.isSuperset(of: names) { return }
    memory.operations.formUnion(names)
    let state = try namespace.state(make: true)
    let lock = try state.lock(patience: FileLock.readersPatience)
    memory = try state.memory(of: id)
    try remember(names, in: state)
    _ = consume lock
  }

  /// Adds operations to the memory once they are durable; the caller holds the
  /// lock and has just read the memory.
  mutating func remember(
    _ names: OperationNames, in state: StateFolder
  ) throws(BackupFolderError) {
    let new = names.subtracting(memory.operations)
    if new.isEmpty { return }
    namespace.syncLogs(of: Set(new.map(\.writer)))
    memory.operations.formUnion(new)
    try state.save(memory, of: id)
  }

  /// Operations that are not gone and were not read.
  private var unread: OperationNames {
    OperationNames(log.problems.awaited(memory).union(log.damaged))
  }

  /// Opens every wallet, one after the other, from the CSPP files and then
  /// from the log what no CSPP file holds.
  ///
  /// One wallet that does not open never stops the others. Memory does not
  /// grow with the wallets' sizes or number, but for an index of about a quarter
  /// of a KiB each.
  ///
  /// - Parameter body: gets each version and lends its entry's bytes, exactly
  ///   as they were sealed.
  /// - Returns: what was found.
  /// - Throws: only what `body` throws.
  public mutating func forEachWallet<E: Error>(
    _ body: (WalletVersion, borrowing SecretBytes) throws(E) -> Void
  ) throws(E) -> WalletReport {
    let failure = readUnread()
    var pass = WalletPass(
      index: log.index, memory: memory, unread: unread)
    if let failure { pass.noteUnlisted(failure) }
    let current = try? namespace.walletFolder()
    var files = listViewFiles(&pass)
    while let file = next(&files, &pass) {
      guard let folder = file.isOlderPlace ? namespace.directory : current else { continue }
      switch reader.open(file.name, in: folder) {
      case .absent: continue
      case .failed(let failure):
        guard file.claimsWallet else { continue }
        pass.note(file, failure)
      case .opened(let entry, let value):
        guard case .show(let state) = pass.judge(file, entry, value, index: log.index) else {
          continue
        }
        let version = WalletVersion(
          recordID: entry.recordID, state: state, source: .view(file: file.path), entry: entry,
          id: VersionID(digest: value),
          ordinal: pass.count(entry.recordID, state))
        try body(version, reader.plaintext)
      }
    }
    try emitLogged(&pass, body)
    try emitLate(&pass, body)
    return pass.finish()
  }

  /// Reads what a writing run took from its cache.
  private mutating func readUnread() -> BackupFolderError? {
    purpose = .reading
    do {
      if log.isFromCache || !isLoaded { try load() }
      return nil
    } catch {
      return error
    }
  }

  private func listViewFiles(_ pass: inout WalletPass) -> ViewFiles? {
    do {
      return try namespace.viewFiles()
    } catch {
      pass.noteUnlisted(error)
      return nil
    }
  }

  private func next(_ files: inout ViewFiles?, _ pass: inout WalletPass) -> ViewFile? {
    do {
      return try files?.nextFile()
    } catch {
      pass.noteUnlisted(error)
      return nil
    }
  }

  private mutating func emitLogged<E: Error>(
    _ pass: inout WalletPass, _ body: (WalletVersion, borrowing SecretBytes) throws(E) -> Void
  ) throws(E) {
    let remaining = pass.remaining(index: log.index)
    if remaining.isEmpty { return }
    var states = [WalletState?](repeating: nil, count: log.index.versions.count)
    for (place, state) in remaining { states[place] = state }
    let log = log
    let lost = try log.forEachPut(
      remaining.map(\.place), in: namespace, masterKey: masterKey
    ) { (place, bytes) throws(E) in
      let record = log.index.versions[place].record
      let value = bytes.withBytes { Digest(of: $0) }
      let state = states[place] ?? .missing
      guard let entry = try? WalletEntry(parsing: bytes) else {
        pass.note(FolderLayout.logFolder, record, .unreadable, "logged bytes are no WalletEntry")
        return
      }
      let isFileDamaged = pass.hasDamagedFile(record)
      let version = WalletVersion(
        recordID: record, state: state, source: .log, entry: entry, id: VersionID(digest: value),
        ordinal: pass.count(record, state), isFileDamaged: isFileDamaged)
      try body(version, bytes)
    }
    for place in lost {
      pass.note(
        FolderLayout.logFolder, log.index.versions[place].record, .incomplete,
        "its operation cannot be read again")
    }
  }

  /// Opens every wallet and only counts.
  public mutating func verify() -> WalletReport {
    forEachWallet { _, _ in }
  }
}
