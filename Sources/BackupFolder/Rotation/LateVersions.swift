public import CSPP
internal import SecretMemory

/// Versions that computers wrote to an earlier namespace after the master key was rotated
/// (docs/format.md, *Rotation*).
///
/// They are live there, and no `put` here holds them.
extension OpenNamespace {
  /// Passes on the versions that only earlier namespaces have.
  mutating func emitLate<E: Error>(
    _ pass: inout WalletPass, _ body: (WalletVersion, borrowing SecretBytes) throws(E) -> Void
  ) throws(E) {
    let index = log.index
    for older in lineage.earlier {
      let id = older.open.id
      let sources = sources(of: older)
      let ended = Set(
        endedWallets(of: older.open)
          .map { CarriedVersion(record: $0.record, value: $0.value) })
      _ = try older.open.forEachWallet { (version, bytes) throws(E) in
        let item = CarriedVersion(record: version.recordID, value: version.id.digest)
        if version.source == .silent, ended.contains(item) { return }
        if Self.isOutdated(version.id.digest, version.recordID, in: sources) { return }
        guard pass.isLate(version.recordID, version.id.digest, index: index) else { return }
        let state: WalletState = version.state == .heldBack ? .heldBack : .late
        try body(
          WalletVersion(
            recordID: version.recordID, state: state, source: .earlier(id), entry: version.entry,
            id: version.id, ordinal: pass.count(version.recordID, state)), bytes)
      }
    }
  }

  /// The logs that tell whether versions in an earlier namespace were superseded.
  ///
  /// If a rotation has finished that namespace, only its own log counts, since it was in charge. An
  /// interrupted rotation leaves copies. A computer that has since overwritten or removed the
  /// originals could not know those copies.
  private func sources(of older: EarlierNamespace) -> [LogIndex] {
    isFollowed(older.open.id) ? [] : followedLogs()
  }

  private func followedLogs() -> [LogIndex] {
    lineage.earlier.flatMap { older in
      (isFollowed(older.open.id) ? [older.open.log.index] : []) + older.open.followedLogs()
    }
  }

  private static func isOutdated(
    _ value: Digest, _ record: RecordID, in sources: [LogIndex]
  ) -> Bool {
    sources.contains { $0.standing(of: value, record: record) == .superseded }
  }

  /// Passes on the late versions of some records, without opening all files.
  ///
  /// - Parameters:
  ///   - records: the records.
  ///   - silent: the entries of silent writers that are passed on.
  ///   - ordinary: the records that somebody with the key wrote in later namespaces.
  ///   - body: receives the versions.
  /// - Throws: what `body` throws; a listing that fails.
  private mutating func forEachLate(
    of records: Set<RecordID>, silent: SilentWallet.Selection, besides ordinary: Set<RecordID> = [],
    _ body: (RecordID, Digest, borrowing SecretBytes) throws(BackupFolderError) -> Void
  ) throws(BackupFolderError) {
    let index = log.index
    let written = ordinary.union(records.filter { !writing($0).isEmpty })
    for older in lineage.earlier {
      let sources = sources(of: older)
      let ended = Set(
        endedWallets(of: older.open).map { CarriedVersion(record: $0.record, value: $0.value) })
      let wallets = older.open.silentWallets().filter { wallet in
        let isProposal = wallet.standing == .counts && written.contains(wallet.record)
        return records.contains(wallet.record)
          && silent.includes(isProposal ? .proposal : wallet.standing)
          && !ended.contains(CarriedVersion(record: wallet.record, value: wallet.value))
      }
      try older.open.forEachVersion(of: records, wallets, silent: silent, besides: written) {
        (record, value, bytes) throws(BackupFolderError) in
        if Self.isOutdated(value, record, in: sources) { return }
        guard index.standing(of: value, record: record) == .unknown else { return }
        try body(record, value, bytes)
      }
    }
  }

  /// Passes on the live versions of some records: logged ones, those of other programs in the
  /// record's own file, the given ones of silent writers, and late ones.
  private mutating func forEachVersion(
    of records: Set<RecordID>, _ wallets: [SilentWallet], silent: SilentWallet.Selection,
    besides ordinary: Set<RecordID>,
    _ body: (RecordID, Digest, borrowing SecretBytes) throws(BackupFolderError) -> Void
  ) throws(BackupFolderError) {
    let places = records.sorted().flatMap { log.index.live($0) }
    let logged = log
    if !places.isEmpty {
      // A version that cannot be read again stays late.
      _ = try logged.forEachPut(places, in: namespace, masterKey: masterKey) {
        (place, bytes) throws(BackupFolderError) in
        try body(
          logged.index.versions[place].record, bytes.withBytes { Digest(of: $0) }, bytes)
      }
    }
    let folder = try namespace.walletFolder()
    var files = try namespace.viewFiles()
    while let file = try files.nextFile() {
      // A conflict copy is judged by its content.
      if let claimed = file.claimed, !records.contains(claimed) { continue }
      guard let folder = file.isOlderPlace ? namespace.directory : folder,
        case .opened(let entry, let value) = view.reader.open(file.name, in: folder),
        records.contains(entry.recordID), !isStaged(file, entry),
        log.index.standing(of: value, record: entry.recordID) == .unknown
      else { continue }
      try body(entry.recordID, value, view.reader.plaintext)
    }
    for wallet in wallets {
      var workspace = OperationLog.Workspace()
      guard readEntry(of: wallet, &workspace) else { continue }
      try body(wallet.record, wallet.value, workspace.entry)
    }
    try forEachLate(of: records, silent: silent, besides: ordinary, body)
  }

  /// Whether a file was staged for an operation that is not here, so that it is not shown.
  private func isStaged(_ file: ViewFile, _ entry: WalletEntry) -> Bool {
    guard AtomicFile.isStaged(file.name), let mark = entry.mark else { return false }
    return ![log.index.names, localState.operations, localState.forgotten].contains {
      $0.contains(mark.writerID, mark.counter)
    }
  }

  /// The records among the given ones that have late versions.
  mutating func lateRecords(
    among records: some Sequence<RecordID>, silent: SilentWallet.Selection
  ) throws(BackupFolderError) -> Set<RecordID> {
    let records = Set(records)
    var found: Set<RecordID> = []
    if lineage.earlier.isEmpty || records.isEmpty { return found }
    try forEachLate(of: records, silent: silent) { record, _, _ in found.insert(record) }
    return found
  }

  /// The records of which silent writers have written in earlier namespaces.
  func earlierSilentRecords() -> Set<RecordID> {
    lineage.earlier.reduce(into: []) { found, older in
      found.formUnion(older.open.silentWallets().map(\.record))
      found.formUnion(older.open.earlierSilentRecords())
    }
  }

  /// A record's late versions.
  mutating func lateValues(of record: RecordID) throws(BackupFolderError) -> Set<Digest> {
    var found: Set<Digest> = []
    if lineage.earlier.isEmpty { return found }
    try forEachLate(of: [record], silent: .all) { _, value, _ in found.insert(value) }
    return found
  }

  /// Logs the late versions of some records before those records are written.
  ///
  /// `seen` is empty, so they supersede nothing.
  mutating func logLate(
    of records: Set<RecordID>, silent: SilentWallet.Selection, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    for record in try lateRecords(among: records, silent: silent).sorted() {
      var puts = ConcurrentPuts(for: namespace.settings)
      var isRest: Bool
      repeat {
        isRest = false
        try forEachLate(of: [record], silent: silent) { (record, value, bytes) in
          // What is logged is late no more.
          if puts.isFull(for: bytes.count) { isRest = true } else { puts.add(record, value, bytes) }
        }
        try publish(&puts, run: run)
      } while isRest
    }
  }

  /// Wallets that a computer removed in an earlier namespace without knowing the rotation; they are
  /// still here.
  public var removedEarlier: [RecordID] {
    var found: Set<RecordID> = []
    for older in lineage.earlier {
      // Beyond the carried-over ends a removal covers nothing and is only reported.
      var index = older.open.log.index
      index.limitCovering(to: nil)
      for record in index.records where index.live(record).isEmpty {
        let held = index.history(of: record).compactMap { index.versions[$0].value }
        let live = log.index.live(record).compactMap { log.index.versions[$0].value }
        if live.contains(where: held.contains) { found.insert(record) }
      }
      found.formUnion(
        older.open.removedEarlier.filter { !log.index.live($0).isEmpty })
    }
    return found.sorted()
  }

  /// Files that a computer removed in an earlier namespace without knowing the rotation, and of which
  /// the removed version is still current here.
  public var filesRemovedEarlier: Set<FileID> {
    let rules = fileState.versions
    return Set(
      lateFileRemovals.filter { file, removed in
        rules.live(file).contains { place in
          let version = rules.versions[place]
          return removed.contains(version.made) || removed.contains(version.operation.digest)
        }
      }.map(\.key))
  }

  private var lateFileRemovals: [FileID: Set<Digest>] {
    var found: [FileID: Set<Digest>] = [:]
    for older in lineage.earlier {
      for change in older.open.log.files.changes {
        guard case .remove(let file, let replaces) = change.change,
          older.open.log.index.isBeyond(change.operation.digest)
        else { continue }
        found[file, default: []].formUnion(replaces)
      }
      found.merge(older.open.lateFileRemovals) { $0.union($1) }
    }
    return found
  }
}
