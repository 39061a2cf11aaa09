internal import CSPP

/// The contents of a namespace that can be read without a key.
public struct NamespaceScan: Equatable, Sendable {
  /// The key slots, by creation time.
  public internal(set) var keySlots: [KeySlot] = []
  /// Files of key slots that do not parse or are not synchronised.
  public internal(set) var findings: [FileFinding] = []

  /// A copy that holds the given key slots instead.
  public func with(_ slots: [KeySlot]) -> NamespaceScan {
    var scan = self
    scan.keySlots = slots
    return scan
  }
}

extension Namespace {
  /// Reads the key slots.
  ///
  /// Needs no key.
  ///
  /// - Throws: ``BackupFolderError/incomplete(path:)`` when no key slot can be read and some file
  ///   is missing or not synchronised. ``BackupFolderError/dataInvalid(path:reason:)`` when all
  ///   files here are damaged. System errors.
  public func scan() throws(BackupFolderError) -> NamespaceScan {
    var scan = NamespaceScan()
    var buffer = FileBuffer()
    let keys = "\(FolderLayout.ownFolder)/\(FolderLayout.keyFolder)"
    try scan.going(on: nil) { (scan) throws(BackupFolderError) in
      try scan.findObstacles(in: directory)
    }
    try scan.going(on: keys) { (scan) throws(BackupFolderError) in
      try scan.read(keyFolder(), path: keys, of: self, .wrapper, &buffer)
    }
    let envelopes = FolderLayout.masterKeyFolder
    try scan.going(on: envelopes) { (scan) throws(BackupFolderError) in
      try scan.read(
        directory.readableSubdirectory(envelopes), path: envelopes, of: self, .envelope, &buffer)
    }
    // The wallet reader reports folders of this kind that cannot be listed.
    try scan.going(on: nil) { (scan) throws(BackupFolderError) in
      var files = try ViewFiles(olderPlaceOf: self)
      while let file = try files.nextFile() {
        if !file.claimsWallet {
          scan.read(
            file.name, in: directory, path: file.name, of: self, .envelope,
            isSuperfluous: file.isSuperfluous, &buffer)
        }
      }
    }
    scan.settle()
    scan.keySlots.sort {
      ($0.createdAt ?? 0, $0.files.first ?? "") < ($1.createdAt ?? 0, $1.files.first ?? "")
    }
    try scan.check(directory.path)
    scan.add(rememberedKeySlots())
    return scan
  }

  /// The number of files in `wallets/` and, by name, in the older place, for a progress bar.
  ///
  /// Files that cannot be listed are not counted.
  public func countWalletFiles() -> Int { countViewFiles(where: \.claimsWallet) }

  /// The number of files in `wallets/` beside the wallets' own, such as a sync program's conflict
  /// copies, by their names.
  public func countWalletCopies() -> Int {
    countViewFiles {
      $0.claimsWallet && $0.named == nil && !$0.isOlderPlace && !$0.isSyncPlaceholder
    }
  }

  private func countViewFiles(where counts: (ViewFile) -> Bool) -> Int {
    var count = 0
    guard var files = try? viewFiles() else { return count }
    while let file = (try? files.nextFile()) ?? nil { count += counts(file) ? 1 : 0 }
    return count
  }
}

extension NamespaceScan {
  fileprivate enum Expected {
    case wrapper
    case envelope
  }

  /// Reads one folder; continues with the others if it cannot be listed.
  ///
  /// - Parameters:
  ///   - path: the folder's path, for the finding; nil to report nothing.
  ///   - body: reads the folder.
  /// - Throws: ``BackupFolderError/interrupted``.
  fileprivate mutating func going(
    on path: String?, _ body: (inout NamespaceScan) throws(BackupFolderError) -> Void
  ) throws(BackupFolderError) {
    do throws(BackupFolderError) {
      try body(&self)
    } catch {
      if error == .interrupted { throw error }
      if let path { findings.append(FileFinding(unlisted: path, error)) }
    }
  }

  /// Reads every file of one folder of key slots.
  fileprivate mutating func read(
    _ folder: Directory?, path: String, of namespace: Namespace, _ expected: Expected,
    _ buffer: inout FileBuffer
  ) throws(BackupFolderError) {
    guard let folder else { return }
    let names = try folder.names()
    let superfluous = SyncPlaceholder.superfluous(in: names)
    for name in names {
      read(
        name, in: folder, path: "\(path)/\(name)", of: namespace, expected,
        isSuperfluous: superfluous.contains(name), &buffer)
    }
  }

  fileprivate mutating func read(
    _ name: String, in folder: Directory, path: String, of namespace: Namespace,
    _ expected: Expected, isSuperfluous: Bool, _ buffer: inout FileBuffer
  ) {
    // A key slot's file that was never placed: its enrolment must be repeated.
    if expected == .wrapper, name.hasPrefix(AtomicFile.temporaryPrefix) { return }
    // A file of another program is skipped silently unless its name claims to be one of ours.
    let awaited = SyncPlaceholder.awaited(name)
    let claims =
      !isSuperfluous
      && (expected == .wrapper
        ? KeyID(claimedBy: name) != nil : FolderLayout.isMasterKeyFile(orCopy: name))
    do {
      try buffer.read(name, in: folder, limit: namespace.settings.limits.wrapper)
    } catch {
      guard claims, error != .absent || awaited != nil else { return }
      report(
        path, awaited == nil ? error.state : .incomplete,
        awaited == nil ? error.words : SyncPlaceholder.reason,
        isForbidden: awaited == nil && error.isForbidden)
      return
    }
    do {
      let slot = try buffer.parse { (bytes) throws(CSPPError) in
        switch expected {
        case .wrapper: KeySlot(try KeyWrapper(parsing: bytes, at: namespace.id), file: path)
        case .envelope:
          KeySlot(
            try MasterKeyEnvelope(parsing: bytes, at: namespace.id), of: namespace.id, file: path)
        }
      }
      add(slot)
    } catch {
      guard claims else { return }
      let incomplete = error == .empty || error == .truncated || awaited != nil
      report(
        path, incomplete ? .incomplete : .unreadable,
        awaited == nil ? "\(error)" : SyncPlaceholder.reason)
    }
  }

  /// Reports anything that has the name of one of the namespace's folders and is not a folder.
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
      report(path, .unreadable, "not a folder: look at what put it there, and move it away")
    }
  }

  private mutating func report(
    _ path: String, _ state: WalletState, _ reason: String, isForbidden: Bool = false
  ) {
    var finding = FileFinding(file: path, recordID: nil, state: state, reason: reason)
    finding.isForbidden = isForbidden
    findings.append(finding)
  }

  /// Judges the files that gave no key slot: beside a whole file of the same kind, they change nothing.
  fileprivate mutating func settle() {
    for place in findings.indices {
      let path = findings[place].file
      let name = String(path.split(separator: "/").last ?? "")
      let isHere =
        if let key = KeyID(claimedBy: name) {
          keySlots.contains { $0.keyID == key && $0.hasWrapper }
        } else {
          FolderLayout.isMasterKeyFile(orCopy: name) && keySlots.contains(where: \.hasEnvelope)
        }
      if !isHere { continue }
      findings[place] = FileFinding(
        file: path, recordID: nil, state: .foreign,
        reason: "\(findings[place].reason); another file has this way in")
    }
  }

  /// Adds a key slot, or another file of a known one.
  private mutating func add(_ slot: KeySlot) {
    let known = keySlots.firstIndex {
      $0.keyID == slot.keyID && $0.prfSalt == slot.prfSalt && $0.kind == slot.kind
        && $0.credentialID == slot.credentialID && $0.rpID == slot.rpID
    }
    guard let known else { return keySlots.append(slot) }
    keySlots[known].files += slot.files
    keySlots[known].sources += slot.sources
  }

  /// Adds this computer's state of the key slots.
  fileprivate mutating func add(_ localState: LocalKeySlotState) {
    for place in keySlots.indices { keySlots[place].recall(localState) }
  }

  /// Throws if nothing here can open the namespace; this must never look like "no backup here".
  fileprivate func check(_ path: String) throws(BackupFolderError) {
    guard keySlots.isEmpty else { return }
    if let forbidden = findings.first(where: \.isForbidden) {
      throw .permissionDenied(path: "\(path)/\(forbidden.file)")
    }
    if let damaged = findings.first, findings.allSatisfy({ $0.state == .unreadable }) {
      throw .dataInvalid(path: "\(path)/\(damaged.file)", reason: damaged.reason)
    }
    throw .incomplete(path: findings.first.map { "\(path)/\($0.file)" } ?? path)
  }
}

extension KeyID {
  /// The key slot of which a file is, by its name, its own or a copy that a sync program made.
  init?(claimedBy name: String) {
    let key = OwnName.find(in: name, suffix: ".json") { text in
      OwnName.digits(32, of: text).flatMap { KeyID(hex: $0) }
    }
    guard let key else { return nil }
    self = key
  }
}

extension FolderLayout {
  /// Whether a file is, by its name, the master-key envelope or a copy that a sync program made of it.
  fileprivate static func isMasterKeyFile(orCopy name: String) -> Bool {
    OwnName.find(in: name, suffix: ".json") { text in
      text.starts(with: "masterkey-".utf8)
        ? OwnName.digits(64, of: text.dropFirst(10)).map { _ in true } : nil
    } ?? false
  }
}

extension KeySlot {
  /// Adds this computer's state of the slot, matched by the contents of its file.
  ///
  /// Its ID proves nothing: anyone who can write to the folder can use it.
  fileprivate mutating func recall(_ localState: LocalKeySlotState) {
    if localState.confirms(&self) {
      isEnrolled = true
      if let keyID {
        label = localState.labels[keyID] ?? label
        provedAt = localState.proof(of: keyID, madeAt: createdAt)
      }
    }
    isRemoved = keyID.map { localState.removed.contains($0) } ?? false
  }
}
