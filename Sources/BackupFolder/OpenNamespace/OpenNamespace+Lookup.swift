public import CSPP

extension OpenNamespace {
  /// Whether the backup holds a wallet: in a log, or in a CSPP file of that name if no log has it.
  ///
  /// Opens no record.
  ///
  /// - Parameter record: the wallet.
  /// - Returns: true also for a wallet that another program wrote.
  /// - Throws: if a folder cannot be listed.
  public mutating func contains(_ record: RecordID) throws(BackupFolderError) -> Bool {
    let isHere = try holds(record)
    if !isHere { decision?.absent.insert(record) }
    return isHere
  }

  private mutating func holds(_ record: RecordID) throws(BackupFolderError) -> Bool {
    if !isLoaded { try load() }
    if try !lateRecords(among: [record], silent: .all).isEmpty { return true }
    if silentWallets().contains(where: { $0.record == record }) { return true }
    if !log.index.history(of: record).isEmpty { return !log.index.live(record).isEmpty }
    var files = try namespace.viewFiles()
    while let file = try files.nextFile() {
      if file.claimed == record { return true }
    }
    return false
  }
}
