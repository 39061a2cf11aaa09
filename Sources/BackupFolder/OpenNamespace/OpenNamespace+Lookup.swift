public import CSPP

extension OpenNamespace {
  /// Whether the backup holds a wallet: in a log, or, where no log speaks of
  /// it, in a CSPP file of that name.
  ///
  /// Opens no record.
  ///
  /// - Parameter record: the wallet.
  /// - Returns: true also for a wallet that other programs wrote.
  /// - Throws: a folder that cannot be listed.
  public mutating func contains(_ record: RecordID) throws(BackupFolderError) -> Bool {
    if !isLoaded { try load() }
    if try !lateRecords(among: [record]).isEmpty { return true }
    if !log.index.history(of: record).isEmpty { return !log.index.live(record).isEmpty }
    var files = try namespace.viewFiles()
    while let file = try files.nextFile() {
      if file.claimed == record { return true }
    }
    return false
  }
}
