public import CSPP
internal import SecretMemory

extension OpenNamespace {
  /// The computer that logged a version first, according to its mark or, without one, the writers'
  /// clocks.
  ///
  /// For a version that no log has it is the silent writer that added it.
  ///
  /// - Parameter version: one that ``forEachWallet(_:)`` passed.
  /// - Returns: `nil` for a version that no operation here has: another program's.
  public func origin(of version: WalletVersion) -> VersionOrigin? {
    if version.source == .silent { return silentOrigin(of: version) }
    return log.origin(of: version.id.digest, record: version.recordID, mark: version.entry.mark)
  }

  /// Wallets that one computer removed without knowing another's changes; they are still here.
  public var keptAgainstRemoval: [RecordID] { log.index.keptAgainstRemoval() }

  /// Decides for one version of a wallet and drops all others.
  ///
  /// Writes a `put` of exactly its bytes. Versions that no log here has are logged first, so that
  /// none is lost.
  ///
  /// - Parameters:
  ///   - version: one that ``forEachWallet(_:)`` passes.
  ///   - record: the wallet.
  ///   - orPast: whether it may be one that ``forEachPastVersion(of:_:)`` passes. It counts again
  ///     then, and a removed wallet is back.
  /// - Returns: `false` when it was already the only one.
  /// - Throws: ``BackupFolderError/noSuchVersion(_:)``, ``BackupFolderError/incomplete(path:)``
  ///   when its operation cannot be read again; system errors. See ``viewProblem`` for work that
  ///   may be left.
  public mutating func keep(
    _ version: VersionID, of record: RecordID, orPast: Bool = false
  ) throws(BackupFolderError) -> Bool {
    let run = try beginRun()
    let isUndecided = silentWallets().contains { $0.record == record && $0.standing != .counts }
    try logSilent(choosing: version, run: run)
    let foreign = try repair(run: run, deciding: [record])
    let late = try lateValues(of: record)
    let isForeign = !late.isEmpty || foreign.contains { $0.record == record }
    let isLogged = log.index.live(record).contains {
      log.index.versions[$0].value == version.digest
    }
    let isPast =
      orPast && log.index.standing(of: version.digest, record: record) == .superseded
    guard
      isLogged || isPast || late.contains(version.digest)
        || foreign.contains(where: { $0.value == version.digest })
    else {
      throw .noSuchVersion(record)
    }
    if isLogged, !isForeign, !isUndecided, log.index.live(record).count == 1 { return false }
    try requireReachable([record])
    try logSilent(proposalsOf: [record], heldBackOf: [record], run: run)
    try logForeign(foreign, of: [record], run: run)
    try logLate(of: [record], silent: .all, run: run)
    try logUnreachable(of: [record], run: run)
    // A live `put` comes first: its operation was just read.
    let candidates = log.index.live(record) + (isPast ? log.index.history(of: record) : [])
    guard let place = candidates.first(where: { log.index.versions.value($0) == version.digest })
    else { throw .noSuchVersion(record) }
    try put(place, run: run)
    let live = log.index.live(record).map { log.index.versions.value($0) }
    // Nobody is told of a decision that did nothing.
    guard live == [version.digest] else {
      throw .incomplete(path: "\(FolderLayout.ownFolder)/\(FolderLayout.logFolder)")
    }
    _ = try repair(run: run)
    return true
  }

  /// Logs the bytes of a `put` once more, in an operation that has seen all others.
  private mutating func put(
    _ place: Int, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    let settings = namespace.settings
    let record = log.index.versions[place].record
    let seen = log.index.tips()
    var operation = OperationBuilder(
      at: settings.clock(), writerLabel: settings.writerLabel, seen: seen,
      seenSealed: sealedPieces)
    var value: Digest?
    _ = log.forEachPut([place], in: namespace, masterKey: masterKey) { (_, bytes) in
      value = bytes.withBytes { Digest(of: $0) }
      operation.put(record, entry: bytes)
    }
    guard let value else { throw .incomplete(path: FolderLayout.logFolder) }
    let staged = try stage(
      operation, nextHeader(), seen: seen, versions: [(record, value)], run: run)
    try publish(staged, run: run)
  }
}
