public import CSPP

extension BackupFolder {
  /// The number of wallets that a silent writer of this computer added and that have no CSPP file.
  ///
  /// They wait for a computer with the key, or were removed there. Needs no key.
  ///
  /// - Parameter writer: from ``localSilentWriters()``.
  /// - Returns: the number; zero while its namespace is not here.
  /// - Throws: system errors.
  public func walletsWithoutFile(
    of writer: LocalSilentWriter
  ) throws(BackupFolderError) -> Int {
    guard !writer.wallets.isEmpty, let namespace = try namespace(of: writer) else { return 0 }
    guard let files = try namespace.walletFolder() else { return writer.wallets.count }
    return writer.wallets.count { !files.holds(FolderLayout.walletFile($0)) }
  }
}

extension Namespace {
  /// The number of files that may be operations of silent writers, by the writer ID of their folder.
  ///
  /// Needs no key, so it says nothing of their authors.
  ///
  /// - Throws: if a listing fails.
  public func sealedFileCounts() throws(BackupFolderError) -> [WriterID: Int] {
    guard let own = try directory.readableSubdirectory(FolderLayout.ownFolder),
      let all = try own.readableSubdirectory(FolderLayout.sealedFolder)
    else { return [:] }
    var counts: [WriterID: Int] = [:]
    for name in try all.names() {
      guard let writer = WriterID(hex: name), let folder = try all.readableSubdirectory(name) else {
        continue
      }
      var names = try NameStream(folder)
      var count = 0
      while let isOperation = try names.next({ name in
        name.count > 5 && name.ends(with: ".json")
          && OperationName(writer: writer, stem: name.extracting(droppingLast: 5)) != nil
      }) {
        if isOperation { count += 1 }
      }
      counts[writer] = count
    }
    return counts
  }
}
