internal import CSPP

/// What a namespace shows without a key.
public struct NamespaceScan: Equatable, Sendable {
  /// The ways in, by creation time.
  public internal(set) var waysIn: [WayIn] = []
  /// Files of ways in that do not parse or are not synchronised.
  public internal(set) var findings: [FileFinding] = []
  /// Number of files in `wallets/` and, by name, in the older place.
  public internal(set) var walletFiles = 0
  /// Number of files in all logs.
  public internal(set) var logFiles = 0
}

extension Namespace {
  /// Reads the ways in, and lists what else is there.
  ///
  /// Needs no key.
  ///
  /// - Throws: ``BackupFolderError/incomplete(path:)`` when not one way in can
  ///   be read and some file is missing or not synchronised;
  ///   ``BackupFolderError/dataInvalid(path:reason:)`` when those that are there
  ///   are damaged; system errors.
  public func scan() throws(BackupFolderError) -> NamespaceScan {
    var scan = NamespaceScan()
    var buffer = FileBuffer()
    try scan.findObstacles(in: directory)
    if let keys = try keyFolder() {
      let path = "\(FolderLayout.ownFolder)/\(FolderLayout.keyFolder)"
      let names = try keys.names()
      let superfluous = StandIn.superfluous(in: names)
      for name in names {
        scan.read(
          name, in: keys, path: "\(path)/\(name)", of: self, .wrapper,
          isSuperfluous: superfluous.contains(name), &buffer)
      }
    }
    if let envelopes = try directory.readableSubdirectory(FolderLayout.masterKeyFolder) {
      let names = try envelopes.names()
      let superfluous = StandIn.superfluous(in: names)
      for name in names {
        let path = "\(FolderLayout.masterKeyFolder)/\(name)"
        scan.read(
          name, in: envelopes, path: path, of: self, .envelope,
          isSuperfluous: superfluous.contains(name), &buffer)
      }
    }
    var files = try viewFiles()
    while let file = try files.nextFile() {
      if file.claimsWallet {
        scan.walletFiles += 1
      } else if file.isOlderPlace {
        scan.read(
          file.name, in: directory, path: file.name, of: self, .envelope,
          isSuperfluous: file.isSuperfluous, &buffer)
      }
    }
    if let logs = try logFolder() { scan.logFiles = try LogListing.count(logs) }
    scan.waysIn.sort {
      ($0.createdAt ?? 0, $0.files.first ?? "") < ($1.createdAt ?? 0, $1.files.first ?? "")
    }
    try scan.check(directory.path)
    return scan
  }
}

extension NamespaceScan {
  fileprivate enum Expected {
    case wrapper
    case envelope
  }

  fileprivate mutating func read(
    _ name: String, in folder: Directory, path: String, of namespace: Namespace,
    _ expected: Expected, isSuperfluous: Bool, _ buffer: inout FileBuffer
  ) {
    // A file of another program passes without a word, unless its name says
    // that it is one of ours.
    let awaited = StandIn.awaited(name)
    let ownName = awaited ?? name
    let claims =
      !isSuperfluous && !name.hasPrefix(AtomicFile.temporaryPrefix)
      && (expected == .wrapper ? ownName.hasSuffix(".json") : ownName.hasPrefix("masterkey-"))
    do {
      try buffer.read(name, in: folder, limit: namespace.settings.limits.wrapper)
    } catch {
      guard claims, error != .absent || awaited != nil else { return }
      note(
        path, awaited == nil ? error.state : .incomplete,
        awaited == nil ? error.words : StandIn.reason)
      return
    }
    do {
      let way = try buffer.parse { (bytes) throws(CSPPError) in
        switch expected {
        case .wrapper: WayIn(try KeyWrapper(parsing: bytes, at: namespace.id), file: path)
        case .envelope:
          WayIn(
            try MasterKeyEnvelope(parsing: bytes, at: namespace.id), of: namespace.id, file: path)
        }
      }
      add(way)
    } catch {
      guard claims else { return }
      let incomplete = error == .empty || error == .truncated || awaited != nil
      note(
        path, incomplete ? .incomplete : .unreadable, awaited == nil ? "\(error)" : StandIn.reason)
    }
  }

  /// Notes what has the name of one of the namespace's folders and is none.
  fileprivate mutating func findObstacles(in namespace: Directory) throws(BackupFolderError) {
    for name in [
      FolderLayout.ownFolder, FolderLayout.masterKeyFolder, FolderLayout.walletFolder,
    ] {
      try findObstacle(name, in: namespace, path: name)
    }
    guard let own = try namespace.readableSubdirectory(FolderLayout.ownFolder) else { return }
    for name in [FolderLayout.keyFolder, FolderLayout.logFolder] {
      try findObstacle(name, in: own, path: "\(FolderLayout.ownFolder)/\(name)")
    }
  }

  private mutating func findObstacle(
    _ name: String, in folder: Directory, path: String
  ) throws(BackupFolderError) {
    do {
      _ = try folder.subdirectory(name)
    } catch .notAFolder {
      note(path, .unreadable, "not a folder: look at what put it there, and move it away")
    }
  }

  private mutating func note(_ path: String, _ state: WalletState, _ reason: String) {
    findings.append(FileFinding(file: path, recordID: nil, state: state, reason: reason))
  }

  /// Adds a way in, or another file of one that is known.
  private mutating func add(_ way: WayIn) {
    let known = waysIn.firstIndex {
      $0.keyID == way.keyID && $0.prfSalt == way.prfSalt && $0.kind == way.kind
        && $0.credentialID == way.credentialID && $0.rpID == way.rpID
    }
    guard let known else { return waysIn.append(way) }
    waysIn[known].files += way.files
    waysIn[known].sources += way.sources
  }

  /// Nothing to open the namespace with is never "no backup here".
  fileprivate func check(_ path: String) throws(BackupFolderError) {
    guard waysIn.isEmpty else { return }
    if let damaged = findings.first, findings.allSatisfy({ $0.state == .unreadable }) {
      throw .dataInvalid(path: "\(path)/\(damaged.file)", reason: damaged.reason)
    }
    throw .incomplete(path: findings.first.map { "\(path)/\($0.file)" } ?? path)
  }
}
