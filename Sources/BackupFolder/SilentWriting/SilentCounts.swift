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
    guard let namespace = try namespace(of: writer) else { return 0 }
    let waiting = try namespace.withoutFile(writer)
    var count = 0
    for operation in waiting where try namespace.holds(sealed: operation) { count += 1 }
    return count
  }

  /// The number of wallets that this computer added as a silent writer and that are not in the folder.
  ///
  /// - Parameter writer: from ``localSilentWriters()``.
  /// - Returns: the number, without those of which a person has accepted that they are missing; zero
  ///   while its namespace is not here.
  /// - Throws: system errors.
  public func walletsNotHere(of writer: LocalSilentWriter) throws(BackupFolderError) -> Int {
    guard let namespace = try namespace(of: writer) else { return 0 }
    let accepted = namespace.rememberedFiles.acceptedVersions
    return try namespace.walletOperationsNotHere(of: writer).count { !accepted.contains($0.name) }
  }
}

extension Namespace {
  /// The operations of a silent writer's wallets that have no CSPP file.
  fileprivate func withoutFile(
    _ writer: LocalSilentWriter
  ) throws(BackupFolderError) -> [Operation.Seen] {
    if writer.walletOperations.isEmpty { return [] }
    let files = try walletFolder()
    return writer.walletOperations.filter { record, _ in
      files?.holds(FolderLayout.walletFile(record)) != true
    }.map(\.value)
  }

  /// The operations of a silent writer's wallets that are not here, nor the CSPP file.
  func walletOperationsNotHere(
    of writer: LocalSilentWriter
  ) throws(BackupFolderError) -> [Operation.Seen] {
    var found: [Operation.Seen] = []
    for operation in try withoutFile(writer) where try !holds(sealed: operation) {
      found.append(operation)
    }
    return found
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
