public import CSPP

/// The wallets that a silent writer of this computer added and that have no CSPP file.
public struct WaitingWallets: Equatable, Sendable {
  /// The number of those that wait for a computer with the key, or were removed there.
  public var here = 0
  /// The number of those that are not in the folder, and of which nobody has accepted that.
  public var notHere = 0
  /// The number of those that this computer added as an earlier writer: they may not count, or were removed.
  public var before = 0
}

extension BackupFolder {
  /// The wallets that a silent writer of this computer added and that have no CSPP file.
  ///
  /// Needs no key.
  ///
  /// - Parameter writer: from ``localSilentWriters()``.
  /// - Returns: their number; none while its namespace is not here.
  /// - Throws: system errors.
  public func waitingWallets(
    of writer: LocalSilentWriter
  ) throws(BackupFolderError) -> WaitingWallets {
    var waiting = WaitingWallets()
    guard let namespace = try namespace(of: writer) else { return waiting }
    let accepted = namespace.rememberedFiles.acceptedVersions
    for (operation, isHere) in try namespace.walletsWithoutFile(of: writer) {
      if isHere {
        waiting.here += 1
      } else if !accepted.contains(operation.name) {
        waiting.notHere += 1
      }
    }
    waiting.before = try namespace.earlierWalletsWithoutFile(of: writer).count {
      !accepted.contains($0.name)
    }
    return waiting
  }
}

extension Namespace {
  /// The operations of a silent writer's wallets that have no CSPP file, and whether each is here.
  func walletsWithoutFile(
    of writer: LocalSilentWriter
  ) throws(BackupFolderError) -> [(operation: Operation.Seen, isHere: Bool)] {
    if writer.walletOperations.isEmpty { return [] }
    let files = try walletFolder()
    var found: [(Operation.Seen, Bool)] = []
    for (record, operation) in writer.walletOperations
    where files?.holds(FolderLayout.walletFile(record)) != true {
      found.append((operation, try holds(sealed: operation)))
    }
    return found
  }

  /// The operations of the wallets without a CSPP file that this computer added before it was authorised
  /// again.
  ///
  /// Whether these operations ever counted cannot be seen without the key.
  func earlierWalletsWithoutFile(
    of writer: LocalSilentWriter
  ) throws(BackupFolderError) -> [Operation.Seen] {
    if writer.walletsBefore.isEmpty { return [] }
    let files = try walletFolder()
    return writer.walletsBefore.filter {
      files?.holds(FolderLayout.walletFile($0.key)) != true
    }.map(\.value)
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
