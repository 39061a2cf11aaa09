internal import CSPP
internal import SecretMemory

/// A version of a wallet that the new namespace must hold.
struct CarriedVersion: Hashable {
  let record: RecordID
  let value: Digest
}

extension OpenNamespace {
  /// The size of a first operation without wallets, in bytes, rounded up.
  private static let foundingSize = 512 * 1024

  /// Writes the files that the new namespace needs before the first operation: the CSPP envelope
  /// and this computer's writer ID.
  mutating func found(
    by enrolment: Enrolment, secret: borrowing SecretBytes, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    try writeEnvelope(for: enrolment, secret: secret, run: run)
    // Remembered before writing, so that nothing here is taken for another computer's.
    localState = try run.state.localState(of: id)
    let header = try nextHeader()
    if header.counter == 1 { localState.lastOwn = nil }
    localState.writer = header.writerID
    localState.rotatingWriters.insert(header.writerID)
    try run.state.save(localState, of: id)
  }

  /// Writes the CSPP envelope of a security key unless there is one.
  func writeEnvelope(
    for enrolment: Enrolment, secret: borrowing SecretBytes, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    guard case .securityKey(let key) = enrolment.kind else { return }
    let envelope = try sealEnvelope(
      for: .init(keyID: enrolment.keyID, rpID: key.rpID, credentialID: key.credentialID),
      prfSalt: key.prfSalt, secret: secret)
    _ = try namespace.writeEnvelope(envelope, secret: secret, tag: run.tag)
  }

  /// Carries over the versions that the new namespace does not hold yet.
  ///
  /// - Parameters:
  ///   - rotation: the rotation.
  ///   - enrolment: the key slot of the new namespace.
  ///   - despiteGaps: whether to leave behind what is not all here.
  ///   - run: this writing run.
  ///   - progress: is told how many versions are carried over.
  /// - Returns: every version that it must hold.
  /// - Throws: ``RotationObstacle/filesMissing``; system errors.
  mutating func carry(
    into rotation: inout Rotation, _ enrolment: Enrolment, despiteGaps: Bool,
    run: borrowing WritingRun, progress: (Int) -> Void
  ) throws(BackupFolderError) -> Set<CarriedVersion> {
    var all: Set<CarriedVersion> = []
    var puts = ConcurrentPuts(for: namespace.settings)
    let own = SharedMasterKey(masterKey.copy())
    let aside = asideWallets()
    let report = try forEachWallet { (version, bytes) throws(BackupFolderError) in
      let item = CarriedVersion(record: version.recordID, value: version.id.digest)
      // Proposals and what is held back stay where they are.
      if version.source.isSilentOrLate, aside.contains(item) { return }
      guard all.insert(item).inserted else { return }
      progress(all.count)
      let index = rotation.namespace.log.index
      if index.standing(of: item.value, record: item.record) != .unknown { return }
      if puts.isFull(for: bytes.count, reserve: Self.foundingSize) {
        try rotation.namespace.publish(&puts, following: own.key, enrolment, run: run)
      }
      puts.add(item.record, item.value, bytes)
    }
    if report.counts[.rolledBack] > 0 { throw .cannotRotate(.notWhole) }
    // Anybody can put an empty file here. A version whose operation is missing was carried over.
    if report.counts[.incomplete] > 0, !despiteGaps { throw .cannotRotate(.filesMissing) }
    rotation.failures = report.failures + unusableLogFiles
    try carrySensitive(into: &rotation.namespace, &puts, following: enrolment, run: run)
    try rotation.namespace.publish(&puts, following: masterKey, enrolment, run: run)
    return all
  }

  /// The entries of silent writers that do not count, here and in the namespaces before.
  private func asideWallets() -> Set<CarriedVersion> {
    var found = Set(
      silentWallets().filter { $0.standing != .counts }
        .map { CarriedVersion(record: $0.record, value: $0.value) })
    for older in lineage.earlier { found.formUnion(older.open.asideWallets()) }
    return found
  }

  private mutating func carrySensitive(
    into next: inout OpenNamespace, _ puts: inout ConcurrentPuts, following enrolment: Enrolment,
    run: borrowing WritingRun
  ) throws(BackupFolderError) {
    for topic in sensitiveTopics {
      var present = try next.sensitiveDigests(topic)
      try forEachSensitive(topic) { (text, _) throws(BackupFolderError) in
        guard present.insert(text.withBytes { Digest(of: $0) }).inserted else { return }
        if puts.isFull(for: text.count * 2, reserve: Self.foundingSize) {
          try next.publish(&puts, following: masterKey, enrolment, run: run)
        }
        let sealed: [UInt8]
        do {
          sealed = try SensitiveData.seal(text, topic: topic, masterKey: next.masterKey)
        } catch {
          throw .internalError("sealing private data: \(error)")
        }
        puts.addSensitive(topic, sealed)
        next.log.include(sensitive: sealed, topic: topic)
      }
    }
  }

  /// Logs the collected versions; the first operation names the earlier namespace and the key slot.
  private mutating func publish(
    _ puts: inout ConcurrentPuts, following earlier: borrowing MasterKey, _ enrolment: Enrolment,
    run: borrowing WritingRun
  ) throws(BackupFolderError) {
    let isFounded = log.links.follows(earlier.namespaceID)
    if !isFounded {
      guard let file = try namespace.keyFileBytes(of: enrolment.keyID) else {
        throw .incomplete(path: namespace.directory.path)
      }
      let envelope = try namespace.envelopeBytes()
      // It stays when this namespace is deleted one day, and must bring back nothing then.
      var founding = ConcurrentPuts(for: namespace.settings)
      founding.addFounding(from: earlier, enrolment.keyID, file: file, envelope: envelope)
      try publish(&founding, hasLinks: true, run: run)
      log.links.include(earlier: SharedMasterKey(earlier.copy()), isLater: false)
      log.include(keyFile: file, of: enrolment.keyID)
      if let envelope { log.include(envelope: envelope, at: namespace.settings.clock()) }
    }
    try publish(&puts, run: run)
  }

  /// Opens the new namespace as any other run would, and compares the contents.
  ///
  /// - Throws: ``RotationObstacle/notVerified`` when something is missing or different.
  func verify(
    _ carried: Set<CarriedVersion>, _ files: Set<FileVersions.Identity>,
    without incomplete: Set<FileVersions.Identity>, _ key: KeyID, secret: borrowing SecretBytes,
    progress: (RotationProgress) -> Void
  ) throws(BackupFolderError) {
    let scan = try namespace.scan()
    let slots = scan.keySlots.filter { $0.keyID == key }
    guard scan.findings.allSatisfy({ $0.state == .foreign }), !slots.isEmpty,
      slots.allSatisfy({ $0.damagedFiles(secret: secret).isEmpty }),
      slots.contains(where: \.hasWrapper)
    else { throw .cannotRotate(.notVerified) }
    var open = OpenNamespace(
      namespace, masterKey: try slots[0].unwrap(secret: secret), by: key, purpose: .reading)
    // Opened alone: the contents of an earlier namespace must not replace missing ones.
    open.lineage.openElsewhere = Set(log.links.earlier.map(\.namespaceID))
    try open.load()
    var missing = carried
    let report = open.forEachWallet { version, _ in
      missing.remove(CarriedVersion(record: version.recordID, value: version.id.digest))
    }
    let index = open.log.index
    let isLogged = carried.allSatisfy {
      if case .live = index.standing(of: $0.value, record: $0.record) { true } else { false }
    }
    // Anybody can put files there that name other wallets.
    let records = Set(carried.map(\.record))
    let isDamaged = report.findings.contains {
      $0.state != .foreign && $0.recordID.map(records.contains) != false
    }
    guard missing.isEmpty, isLogged, !isDamaged, open.unusableLogFiles.isEmpty,
      report.counts[.missing] == 0, open.health.incomplete + open.health.forked == 0
    else { throw .cannotRotate(.notVerified) }
    try open.verify(files, without: incomplete, progress: progress)
    for topic in sensitiveTopics {
      guard try open.sensitiveDigests(topic) == sensitiveDigests(topic) else {
        throw .cannotRotate(.notVerified)
      }
    }
  }
}

extension WalletVersion.Source {
  /// Whether only a silent writer, or an earlier namespace, may have the version.
  fileprivate var isSilentOrLate: Bool {
    switch self {
    case .silent, .earlier: true
    default: false
    }
  }
}
