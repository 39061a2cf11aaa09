public import CSPP
internal import SecretMemory

/// The computer that logged a version of a wallet first.
public struct VersionOrigin: Equatable, Sendable {
  /// The computer.
  public let writer: WriterID
  /// The computer's name for people.
  public let label: String
  /// The time by its own clock, in Unix seconds.
  public let at: UInt64
}

extension OpenNamespace {
  /// The computer that logged a version first, according to its mark or, without one, the writers'
  /// clocks.
  ///
  /// - Parameter version: one that ``forEachWallet(_:)`` passed.
  /// - Returns: `nil` for a version that no log here has: another program's.
  public func origin(of version: WalletVersion) -> VersionOrigin? {
    let nodes = log.index.history(of: version.recordID).filter {
      log.index.versions[$0].value == version.id.digest
    }.map { Int(log.index.versions[$0].node) }
    let marked = nodes.first {
      let reference = log.index.nodes[$0].reference
      return version.entry.mark
        == WalletEntry.Mark(writerID: reference.writerID, counter: reference.counter)
    }
    guard let node = marked ?? nodes.min(by: { log.times[$0] < log.times[$1] }) else { return nil }
    let writer = log.index.nodes[node].reference.writerID
    return VersionOrigin(
      writer: writer, label: log.labels[writer]?.text ?? "", at: log.times[node])
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
  /// - Returns: `false` when it was already the only one.
  /// - Throws: ``BackupFolderError/noSuchVersion(_:)``, ``BackupFolderError/incomplete(path:)``
  ///   when its operation cannot be read again; system errors. See ``viewProblem`` for work that
  ///   may be left.
  public mutating func keep(
    _ version: VersionID, of record: RecordID
  ) throws(BackupFolderError) -> Bool {
    let run = try WritingRun.begin(namespace.state(make: true))
    try refresh(run: run)
    let hasProposal = silentWallets().contains { $0.record == record && $0.standing == .proposal }
    try logSilent(choosing: version, run: run)
    let foreign = try repair(run: run)
    let late = try lateValues(of: record, choosing: version)
    let isForeign = !late.isEmpty || foreign.contains { $0.record == record }
    let isLogged = log.index.live(record).contains {
      log.index.versions[$0].value == version.digest
    }
    guard
      isLogged || late.contains(version.digest)
        || foreign.contains(where: { $0.value == version.digest })
    else {
      throw .noSuchVersion(record)
    }
    if isLogged, !isForeign, !hasProposal, log.index.live(record).count == 1 { return false }
    try requireReachable([record])
    try logForeign(foreign, of: [record], run: run)
    try logLate(of: [record], choosing: version, run: run)
    try logUnreachable(of: [record], run: run)
    guard case .live(let place) = log.index.standing(of: version.digest, record: record) else {
      throw .noSuchVersion(record)
    }
    try put(place, run: run)
    _ = try repair(run: run)
    return true
  }

  /// Logs the bytes of a live `put` once more, in an operation that has seen all others.
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
