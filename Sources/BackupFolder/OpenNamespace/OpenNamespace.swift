// This folder is for the namespace whose master key is known; its state is in the values that it
// holds. Other rooms extend it, and write with refresh, stage and publish in a WritingRun. No type
// of a later room is named here. The later rooms decide which change is written and which namespace
// is in charge.

public import CSPP
public import SecretMemory
private import Synchronization

/// A namespace whose master key is known and whose logs have been opened.
///
/// Reading never writes to the folder. Every writing call takes this computer's lock, reads
/// operations that other programs have logged since, and completes what a crash left unfinished.
public struct OpenNamespace: ~Copyable {
  /// The namespace.
  public let id: NamespaceID
  /// The key slot that opened it; nil for another program's envelope and for a cached master key.
  public var openedBy: KeyID? { opening.keyID }
  /// The state of the logs: whether they are whole and the newest this computer has seen.
  public internal(set) var health = LogHealth()
  /// Log files that do not open or are not synchronised.
  public var logFindings: [FileFinding] { log.findings + earlierFindings }
  /// Whether a newer program wrote changes that this version does not know.
  public var hasUnknownChanges: Bool { log.hasUnknownChanges }

  /// The reason why the last writing call could not update the CSPP files from the log; nil when it
  /// could.
  ///
  /// The requested change is made and durable: the log holds it and readers that know the log show
  /// it. The next writing call tries again.
  public var viewProblem: BackupFolderError? { view.problem }

  /// The additions of the last call that adds wallets, also when it failed.
  public internal(set) var lastAdded = Added()

  /// Key slots that the last writing call removed because the one that opened the backup replaces
  /// them.
  ///
  /// Opening the backup proved the new slot.
  public var finishedRotations: Set<KeyID> { slotFiles.finishedRotations }

  /// The repairs that writing calls made to the files of key slots.
  public var keySlotRepairs: KeySlotRepairs { slotFiles.repairs }
  /// The number of wallet files that writing calls wrote.
  public var writtenWalletFiles: Int { view.written }
  /// Wallet files that writing calls removed, such as conflict copies: the log has what they held.
  public var removedWalletFiles: [String] { view.removed }

  /// Makes the compiler keep the value in memory, as every value with an atomic in it.
  ///
  /// Without it, the compiler follows each field through each branch of each function that borrows
  /// the value, which takes minutes (docs/decisions/0055-building-quickly.md).
  private let inMemory = Atomic<Bool>(true)
  let namespace: Namespace
  let masterKey: MasterKey
  private(set) var purpose: Purpose
  /// Whether the logs were read.
  private(set) var isLoaded = false
  /// The logs of all computers.
  var log = OperationLog()
  /// The files and silent writers.
  var fileState = FileState()
  /// The local state of this namespace.
  var localState = LocalState()
  /// The CSPP files.
  var view: WalletView
  /// The key slot and secret that opened it.
  var opening: Opening
  /// The files of key slots, as far as writing calls changed them.
  var slotFiles = KeySlotFiles()
  /// The namespaces before and beside this one.
  var lineage = Lineage()
  /// The decision that is being made, see ``deciding(_:_:)``.
  var decision: Decision?

  /// A look, and what is written for it.
  struct Decision {
    let lock: WritingRun.SharedLock
    /// The wallets that it did not find: what comes of them meanwhile was not seen.
    var absent: Set<RecordID> = []
  }

  /// The purpose for which a namespace is opened.
  public enum Purpose: Sendable {
    /// Reading: the logs are read at once. A folder that cannot be listed is a finding.
    case reading
    /// Adding or removing: the logs are read when the run has the lock, or before the first wallet
    /// is read. A folder that cannot be listed then stops the run.
    case writing
  }

  init(
    _ namespace: Namespace, masterKey: consuming MasterKey, by key: KeyID?, purpose: Purpose
  ) {
    id = namespace.id
    opening = Opening(keyID: key)
    self.purpose = purpose
    self.namespace = namespace
    view = WalletView(WalletReader(masterKey, limit: namespace.settings.limits.record))
    self.masterKey = masterKey
  }

  /// Opens a namespace's logs.
  ///
  /// - Parameters:
  ///   - namespace: the namespace.
  ///   - masterKey: its master key.
  ///   - key: the key slot that gave the master key.
  ///   - purpose: the purpose of opening it.
  ///   - isReading: `false` for a caller that holds the lock and remembers by itself.
  /// - Returns: the open namespace.
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
    // Reading must work where nothing can be remembered: on a full disk, on another person's
    // computer, or during a long write by another program. The next run then reports unknown
    // freshness, or remembers.
    if isReading {
      try? open.remember()
      open.rememberKeySlots(isLocked: false)
    }
    return open
  }

  /// Reads the logs and compares them with the local state.
  mutating func load() throws(BackupFolderError) {
    // Restoring wallets must not depend on the local state. If it cannot be read, it counts as
    // empty and freshness as unknown.
    let state = try? namespace.state(make: false)
    localState = (try? state?.localState(of: id)) ?? LocalState()
    log = try OperationLog.read(
      namespace, masterKey: masterKey, isTolerant: purpose == .reading)
    log.limitCovering(to: lineage.carriedEnds)
    try loadFiles()
    isLoaded = true
    lineage.knownSuccessors = lineage.knownSuccessors ?? Set(log.links.successors.map(\.id))
    try loadEarlier()
    if lineage.carriedEnds != nil || !lineage.earlier.isEmpty { judgeFiles() }
    judgeLogs()
  }

  /// Compares the logs with each other and with the local state.
  mutating func judgeLogs() {
    health = namespace.health(
      of: log.index, localState: localState, unsynchronised: log.problems.awaited(localState),
      damaged: log.damaged)
    health.afterRetirement = log.writesAfterRetirement().values.reduce(0, +)
    health.successor = log.links.successors.map(\.id).min()
    health.include(rolledBack: missingSealed)
    if missingStart != nil, health.incomplete == 0 { health.incomplete = 1 }
    judgeEarlier()
  }

  /// Reads the logs again, since a sync program may have added to them.
  ///
  /// - Throws: as ``Namespace/open(_:by:for:)``.
  public mutating func readAgain() throws(BackupFolderError) {
    purpose = .reading
    try load()
  }

  /// Adds the opened operations to the local state.
  ///
  /// The state is read again under the lock, so that changes saved by another run since (an
  /// operation, an acceptance) are not undone.
  mutating func remember() throws(BackupFolderError) {
    let names = log.index.names
    if localState.operations.isSuperset(of: names), !hasNewFiles, !localState.isInherited { return }
    localState.operations.formUnion(names)
    let state = try namespace.state(make: true)
    let lock = try state.lock(patience: FileLock.readersPatience)
    localState = try state.localState(of: id)
    try remember(names, in: state)
    try rememberFiles(in: state)
    _ = consume lock
  }

  /// Adds operations to the local state once they are durable.
  ///
  /// The caller holds the lock and has just read the state.
  mutating func remember(
    _ names: OperationNames, in state: StateFolder
  ) throws(BackupFolderError) {
    let new = names.subtracting(localState.operations)
    if new.isEmpty, !localState.isInherited { return }
    namespace.syncLogs(of: Set(new.map(\.writer)))
    localState.operations.formUnion(new)
    try state.save(localState, of: id)
    localState.isInherited = false
  }

  /// Operations that are not missing and were not read.
  private var unread: OperationNames {
    OperationNames(log.problems.awaited(localState).union(log.damaged))
  }

  /// Opens every wallet in turn: from the CSPP files, then from the log where no CSPP file holds
  /// it.
  ///
  /// A wallet that does not open never stops the others. Memory does not grow with the wallets'
  /// sizes. It grows with their number only by an index of about a quarter of a KiB each.
  ///
  /// - Parameter body: receives each version and its entry's bytes, exactly as they were sealed.
  /// - Returns: the findings and counts.
  /// - Throws: only the errors of `body`.
  public mutating func forEachWallet<E: Error>(
    _ body: (WalletVersion, borrowing SecretBytes) throws(E) -> Void
  ) throws(E) -> WalletReport {
    let failure = readUnread()
    var pass = WalletPass(
      index: log.index, localState: localState, unread: unread)
    if let failure { pass.noteUnlisted(failure) }
    let current = try? namespace.walletFolder()
    var files = listViewFiles(&pass)
    while let file = next(&files, &pass) {
      guard let folder = file.isOlderPlace ? namespace.directory : current else { continue }
      switch view.reader.open(file.name, in: folder) {
      case .absent: continue
      case .failed(let failure):
        guard file.claimsWallet else { continue }
        pass.report(file, failure)
      case .opened(let entry, let value):
        guard case .show(let state) = pass.judge(file, entry, value, index: log.index) else {
          continue
        }
        let version = WalletVersion(
          recordID: entry.recordID, state: state, source: .view(file: file.path), entry: entry,
          id: VersionID(digest: value),
          ordinal: pass.count(entry.recordID, state))
        try body(version, view.reader.plaintext)
      }
    }
    try emitLogged(&pass, body)
    try emitSilent(&pass, body)
    try emitLate(&pass, body)
    return pass.finish()
  }

  /// Reads the logs of a namespace that was opened for writing.
  ///
  /// - Returns: the reason why they could not be listed.
  mutating func readUnread() -> BackupFolderError? {
    purpose = .reading
    do {
      if !isLoaded { try load() }
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
        pass.report(FolderLayout.logFolder, record, .unreadable, "logged bytes are no WalletEntry")
        return
      }
      let isFileDamaged = pass.hasDamagedFile(record)
      let version = WalletVersion(
        recordID: record, state: state, source: .log, entry: entry, id: VersionID(digest: value),
        ordinal: pass.count(record, state), isFileDamaged: isFileDamaged)
      try body(version, bytes)
    }
    for place in lost {
      pass.report(
        FolderLayout.logFolder, log.index.versions[place].record, .incomplete,
        "its operation cannot be read again")
    }
  }

  /// Opens every wallet, only to count.
  public mutating func verify() -> WalletReport {
    forEachWallet { _, _ in }
  }
}

extension Namespace {
  /// Opens the logs of all computers.
  ///
  /// - Parameters:
  ///   - masterKey: from ``KeySlot/unwrap(secret:)``.
  ///   - key: the key slot that gave it, if any.
  ///   - purpose: the purpose of opening it.
  /// - Returns: the open namespace.
  /// - Throws: ``BackupFolderError/wrongKey`` when it is another namespace's;
  ///   system errors.
  public func open(
    _ masterKey: consuming MasterKey, by key: KeyID? = nil,
    for purpose: OpenNamespace.Purpose = .reading
  ) throws(BackupFolderError) -> OpenNamespace {
    try OpenNamespace.open(self, masterKey: masterKey, by: key, purpose: purpose)
  }
}

extension OpenNamespace {
  /// The master key, for a caller that keeps it elsewhere.
  public var sharedMasterKey: SharedMasterKey { SharedMasterKey(masterKey.copy()) }
}
