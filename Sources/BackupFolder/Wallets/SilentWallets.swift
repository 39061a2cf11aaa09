internal import CSPP
internal import SecretMemory

/// A wallet's entry that a silent writer added and no operation with the key has taken over.
struct SilentWallet {
  /// The effect that it has.
  enum Standing {
    /// It counts: nobody with the key ever wrote this wallet.
    case counts
    /// It stands beside what somebody with the key wrote, and a person decides.
    case proposal
    /// A retirement of its writer's key did not know it, and a person decides.
    case heldBack
  }

  /// The entries that are logged before somebody with the key writes a wallet.
  enum Selection {
    /// Those that count.
    case counting
    /// Proposals, too: what is about to be written ends them.
    case proposals
    /// All, where a person decides.
    case all

    func includes(_ standing: Standing) -> Bool {
      switch standing {
      case .counts: true
      case .proposal: self != .counting
      case .heldBack: self == .all
      }
    }
  }

  let record: RecordID
  let value: Digest
  let standing: Standing
  /// The place of its operation among the sealed ones, and of the change in it.
  let operation: Int
  let change: Int
}

extension OpenNamespace {
  /// The entries of silent writers that are not in the log.
  func silentWallets() -> [SilentWallet] {
    let sealed = fileState.sealed
    var found: [SilentWallet] = []
    var known: Set<RecordValue> = []
    for (place, entry) in sealed.entries.enumerated() {
      for (index, change) in entry.changes {
        guard case .put(let record, let value) = change,
          log.index.standing(of: value, record: record) == .unknown,
          !known.contains(RecordValue(record: record, value: value))
        else { continue }
        if !sealed.isHeldBack[place], isEnded(place, of: record, in: sealed) { continue }
        let isOrdinary = !log.index.history(of: record).isEmpty
        known.insert(RecordValue(record: record, value: value))
        let standing: SilentWallet.Standing =
          sealed.isHeldBack[place] ? .heldBack : isOrdinary ? .proposal : .counts
        found.append(
          SilentWallet(
            record: record, value: value, standing: standing, operation: place, change: index))
      }
    }
    return found
  }

  private struct RecordValue: Hashable {
    let record: RecordID
    let value: Digest
  }

  /// Whether an operation here that puts or removes a record has taken a sealed one into account.
  private func isEnded(_ place: Int, of record: RecordID, in sealed: SealedLog) -> Bool {
    writing(record).contains { name in
      log.files.seenSealed[name].map { sealed.covers($0, place) } ?? false
    }
  }

  /// The operations with the key that put or remove a record.
  ///
  /// A master key that was given up ends nothing, so what it wrote is left out.
  func writing(_ record: RecordID) -> [Digest] {
    log.index.history(of: record).map { version in
      log.index.nodes[Int(log.index.versions[version].node)].reference.digest
    }.filter { !log.index.isBeyond($0) }
  }

  /// The entries of silent writers in an earlier namespace that an operation here has ended.
  func endedWallets(of older: borrowing OpenNamespace) -> [SilentWallet] {
    let sealed = older.fileState.sealed
    return older.silentWallets().filter { wallet in
      wallet.standing != .heldBack && isEnded(wallet.operation, of: wallet.record, in: sealed)
    }
  }

  /// The number of wallets of silent writers that are not in the CSPP files yet.
  ///
  /// The next writing call adds them.
  public var waitingSilentWallets: Int {
    Set(silentWallets().filter { $0.standing == .counts }.map(\.record)).count
  }

  /// Passes on the entries of silent writers that no log has.
  mutating func emitSilent<E: Error>(
    _ pass: inout WalletPass, _ body: (WalletVersion, borrowing SecretBytes) throws(E) -> Void
  ) throws(E) {
    let wallets = silentWallets()
    if wallets.isEmpty { return }
    let counting = Dictionary(grouping: wallets.filter { $0.standing == .counts }, by: \.record)
    for wallet in wallets where pass.isLate(wallet.record, wallet.value, index: log.index) {
      var workspace = OperationLog.Workspace()
      guard readEntry(of: wallet, &workspace),
        let entry = try? WalletEntry(parsing: workspace.entry)
      else {
        pass.report(
          SealedLog.path, wallet.record, .incomplete, "its operation cannot be read again")
        continue
      }
      let isAlone = wallet.standing == .counts && counting[wallet.record]?.count == 1
      let state: WalletState =
        wallet.standing == .heldBack ? .heldBack : isAlone ? .missing : .conflict
      try body(
        WalletVersion(
          recordID: wallet.record, state: state, source: .silent, entry: entry,
          id: VersionID(digest: wallet.value), ordinal: pass.count(wallet.record, state)),
        workspace.entry)
    }
  }

  /// Opens a sealed operation once more for a wallet's entry.
  func readEntry(
    of wallet: SilentWallet, _ workspace: inout OperationLog.Workspace
  ) -> Bool {
    let name = fileState.sealed.entries[wallet.operation].reference.digest
    guard let operation = reopened(name), wallet.change < operation.changes.count,
      case .put(wallet.record, let payload) = operation.changes[wallet.change]
    else { return false }
    return (try? Operation.decode(payload, in: operation.text, into: &workspace.entry)) != nil
  }

  /// The silent writer that added a version.
  func silentOrigin(of version: WalletVersion) -> VersionOrigin? {
    let entry = fileState.sealed.entries.first { entry in
      entry.changes.contains { _, change in
        guard case .put(version.recordID, version.id.digest) = change else { return false }
        return true
      }
    }
    guard let entry, let at = entry.at else { return nil }
    let logged = log.files.authorisations.first { $0.writer.identity == entry.writer }
    return VersionOrigin(
      writer: entry.writer.writerID, label: logged?.writer.label.text ?? "", at: at, isFound: false)
  }

  /// Logs the entries of silent writers that count, so that the CSPP files follow.
  ///
  /// `seen` is empty, so they supersede nothing.
  ///
  /// - Parameters:
  ///   - chosen: a version that is logged whatever its standing.
  ///   - records: wallets of which the proposals are logged too. An operation that ends them follows,
  ///     and what it ends stays in the wallets' history.
  ///   - decided: those of which a person decides on what is held back, too. That is logged in the
  ///     same way.
  ///   - run: this writing run.
  /// - Throws: system errors.
  mutating func logSilent(
    choosing chosen: VersionID? = nil, proposalsOf records: Set<RecordID> = [],
    heldBackOf decided: Set<RecordID> = [], run: borrowing WritingRun
  ) throws(BackupFolderError) {
    let wallets = silentWallets().filter { wallet in
      switch wallet.standing {
      case .counts: true
      case .proposal: records.contains(wallet.record) || wallet.value == chosen?.digest
      case .heldBack: decided.contains(wallet.record) || wallet.value == chosen?.digest
      }
    }
    if wallets.isEmpty { return }
    var puts = ConcurrentPuts(for: namespace.settings)
    for wallet in wallets {
      var workspace = OperationLog.Workspace()
      // One that cannot be read again waits.
      guard readEntry(of: wallet, &workspace) else { continue }
      if puts.isFull(for: workspace.entry.count) { try publish(&puts, run: run) }
      puts.add(wallet.record, wallet.value, workspace.entry)
    }
    try publish(&puts, run: run)
  }
}
