internal import CSPP
internal import SecretMemory

/// Live versions in chains of which a part has not arrived.
///
/// `seen` names unbroken chains only, so no new operation covers these versions. Logged once more
/// as found, they are covered (docs/format.md, *What the log says*).
extension OpenNamespace {
  /// Throws if a decision about one of the wallets is in an operation that cannot be covered yet.
  ///
  /// - Throws: ``BackupFolderError/incomplete(path:)``.
  func requireReachable(_ records: [RecordID]) throws(BackupFolderError) {
    for record in records where log.index.unreachable(record).hasOthers {
      throw .incomplete(path: "\(FolderLayout.ownFolder)/\(FolderLayout.logFolder)")
    }
  }

  /// Logs the versions that no new operation would cover, before their records are written.
  mutating func logUnreachable(
    of records: Set<RecordID>, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    let places = records.sorted().flatMap { log.index.unreachable($0).findings }
    if places.isEmpty { return }
    var puts = ConcurrentPuts(for: namespace.settings)
    let index = log.index
    let lost = log.forEachPut(places, in: namespace, masterKey: masterKey) { (place, bytes) in
      let version = index.versions[place]
      if let value = version.value { puts.add(version.record, value, bytes) }
    }
    guard lost.isEmpty else { throw .incomplete(path: FolderLayout.logFolder) }
    try publish(&puts, run: run)
  }
}
