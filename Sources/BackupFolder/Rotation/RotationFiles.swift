internal import CSPP
internal import SecretMemory

/// Files and silent writers in a rotation of the master key.
extension OpenNamespace {
  /// Throws while something of files is missing that the next namespace should know.
  ///
  /// What comes later is late: nothing is lost. A thief's gap stays, so a person may go on.
  func requireWholeFiles(_ despiteGaps: Bool) throws(BackupFolderError) {
    let isUnlisted = log.isSealedUnlisted || fileState.sealed.isUnlisted
    if isUnlisted { throw .cannotRotate(.notWhole) }
    let isMissing = hasSealedGap || !fileState.versions.missing.isEmpty
    if isMissing, !despiteGaps { throw .cannotRotate(.filesMissing) }
  }

  /// Carries over the versions of files that count, with their objects, and who is a silent writer.
  ///
  /// - Parameters:
  ///   - rotation: the rotation.
  ///   - despiteGaps: whether to go on where an object is missing.
  ///   - run: this writing run.
  ///   - progress: is told how many bytes are copied.
  /// - Returns: every version that the new namespace must hold.
  /// - Throws: ``RotationObstacle/filesMissing``; system errors.
  mutating func carryFiles(
    into rotation: inout Rotation, despiteGaps: Bool, run: borrowing WritingRun,
    progress: (RotationProgress) -> Void
  ) throws(BackupFolderError) -> Set<FileVersions.Identity> {
    if !hasFiles { return [] }
    let target = rotation.namespace.namespace
    try target.objects()?.directory.removeStaged(tag: run.tag)
    try rotation.namespace.carryNames(log.files.authorisations, run: run)
    var all: Set<FileVersions.Identity> = []
    rotation.incompleteFiles = []
    let rounds = liveInRounds()
    let total = rounds.joined().map(\.put.version.objectBytes).sumOfClaims()
    var before: UInt64 = 0
    for round in rounds {
      var operation = rotation.namespace.finding()
      for version in round {
        let identity = FileVersions.Identity(version)
        guard all.insert(identity).inserted else { continue }
        let count = operation.count
        let object = version.put.version.object
        let size = version.put.version.objectBytes
        let done = before
        before = min(before + size, total)
        func copied(_ bytes: UInt64) { progress(.copied(done + min(bytes, size), of: total)) }
        defer { copied(size) }
        if rotation.namespace.fileState.versions.identities.contains(identity) {
          // A large one is not read again in every round.
          if let object, rotation.objects.contains(object) { continue }
          guard
            let problem = try copyObject(
              of: version.put.version, into: target, run: run, progress: copied)
          else {
            if let object { rotation.objects.insert(object) }
            continue
          }
          guard despiteGaps else { throw .cannotRotate(.filesMissing) }
          rotation.incompleteFiles.insert(identity)
          rotation.failures.append(finding(of: version, problem))
          continue
        }
        let problem = try carry(
          version, into: &operation, of: target, run: run, progress: copied)
        if let problem {
          // Contents that are damaged for good stay where they are.
          if operation.count == count {
            all.remove(identity)
          } else if despiteGaps {
            rotation.incompleteFiles.insert(identity)
          } else {
            throw .cannotRotate(.filesMissing)
          }
          rotation.failures.append(finding(of: version, problem))
        } else if let object {
          rotation.objects.insert(object)
        }
        if operation.fileSize > fullOperation {
          try rotation.namespace.publish(findings: operation, run: run)
          operation = rotation.namespace.finding()
        }
      }
      try rotation.namespace.publish(findings: operation, run: run)
    }
    try rotation.namespace.carryRetirements(knownRetirements, run: run)
    rotation.files = Set(all.map(\.file)).count
    return all
  }

  /// The live versions, in rounds with at most one of each file.
  private func liveInRounds() -> [[FileVersions.Version]] {
    let rules = fileState.versions
    var rounds: [[FileVersions.Version]] = []
    for file in rules.places.keys.sorted() {
      for (number, place) in rules.live(file).enumerated() {
        if number == rounds.count { rounds.append([]) }
        rounds[number].append(rules.listing(place))
      }
    }
    return rounds
  }

  private func finding(of version: FileVersions.Version, _ problem: FileObstacle) -> FileFinding {
    FileFinding(
      file: version.put.name.text, recordID: nil,
      state: problem == .contentsDamaged ? .unreadable : .incomplete,
      reason: problem == .contentsDamaged
        ? "its contents are damaged" : "its contents are not here")
  }

  /// Begins an operation that only states what is there.
  private func finding() -> OperationBuilder {
    OperationBuilder(
      at: namespace.settings.clock(), writerLabel: namespace.settings.writerLabel, seen: [])
  }

  private mutating func publish(
    findings operation: consuming OperationBuilder, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    if operation.count == 0 { return }
    let staged = try stage(operation, nextHeader(), seen: [], versions: [], run: run)
    try publish(staged, run: run)
  }

  /// Logs the names of an earlier namespace's silent writers, with no permission here.
  ///
  /// So the versions that they made keep their computers' names.
  mutating func carryNames(
    _ authorisations: [FileRecords.Authorisation], run: borrowing WritingRun
  ) throws(BackupFolderError) {
    var known = Set(log.files.authorisations.map(\.writer.signingKey))
    var operation = finding()
    for logged in authorisations {
      let writer = logged.writer
      guard known.insert(writer.signingKey).inserted else { continue }
      // No signer has a key that cannot be added.
      try? operation.writerAdd(
        SilentWriter(
          writerID: writer.writerID, signingKey: writer.signingKey, label: writer.label, may: []))
    }
    try publish(findings: operation, run: run)
  }

  /// Retires again what was retired in an earlier namespace, and knows of each chain what that
  /// retirement knew.
  ///
  /// What was carried is seen: without the earlier namespace it still counts.
  mutating func carryRetirements(
    _ retirements: [FileRecords.Retirement], run: borrowing WritingRun
  ) throws(BackupFolderError) {
    for retirement in retirements {
      let isKnown = log.files.retirements.contains {
        $0.key == retirement.key && Set($0.pieces) == Set(retirement.pieces)
      }
      if isKnown { continue }
      let seen = log.index.tips()
      var operation = OperationBuilder(
        at: namespace.settings.clock(), writerLabel: namespace.settings.writerLabel, seen: seen,
        seenSealed: retirement.pieces)
      operation.silentWriterRetire(retirement.writerID, retirement.key)
      let staged = try stage(operation, nextHeader(), seen: seen, versions: [], run: run)
      try publish(staged, run: run)
    }
  }

  /// Whether an interrupted rotation has retired a key already of which it still has to carry a
  /// version: a copy behind the retirement would be held back.
  func comesTooLate(for next: borrowing OpenNamespace) -> Bool {
    let retired = Set(next.log.files.retirements.map(\.key))
    if retired.isEmpty { return false }
    let carried = next.fileState.versions.identities
    let rules = fileState.versions
    return rules.versions.indices.contains { place in
      let version = rules.versions[place]
      return !rules.isDead[place] && version.by.map(retired.contains) == true
        && !carried.contains(FileVersions.Identity(version))
    }
  }

  /// Whether an interrupted rotation carried what has been replaced or removed since, what its own
  /// retirements hold back, or what would replace a version that a person has chosen since.
  func isOutdated(_ next: borrowing OpenNamespace) -> Bool {
    let rules = fileState.versions
    let live = Set(
      rules.versions.indices.filter { !rules.isDead[$0] }
        .map { FileVersions.Identity(rules.versions[$0]) })
    let copies = next.fileState.versions
    if !copies.heldBack.isEmpty { return true }
    let hasOldFiles = copies.versions.indices.contains {
      !copies.isDead[$0] && !live.contains(FileVersions.Identity(copies.versions[$0]))
    }
    if hasOldFiles { return true }
    let listsLive = copies.versions.contains { copy in
      copy.put.replaces.contains { rules.isLive($0, copy.put.fileID) }
    }
    if listsLive { return true }
    let index = next.log.index
    return index.records.contains { record in
      index.live(record).contains { place in
        index.versions[place].value.map {
          log.index.standing(of: $0, record: record) == .superseded
        } ?? false
      }
    }
  }

  /// Compares the files of the new namespace, opened alone, with what was carried; `progress` is told
  /// how many bytes were read.
  ///
  /// - Throws: ``RotationObstacle/notVerified``; ``BackupFolderError/interrupted``.
  func verify(
    _ carried: Set<FileVersions.Identity>, without incomplete: Set<FileVersions.Identity>,
    progress: (RotationProgress) -> Void
  ) throws(BackupFolderError) {
    var missing = carried
    let live = try files().flatMap(\.live)
    let total = live.map(\.size).sumOfClaims()
    var done: UInt64 = 0
    for version in live {
      let identity = FileVersions.Identity(version)
      guard missing.remove(identity) != nil else { throw .cannotRotate(.notVerified) }
      if incomplete.contains(identity) { continue }
      do throws(BackupFolderError) {
        try read(version) { (piece) throws(BackupFolderError) in
          done += UInt64(piece.byteCount)
          progress(.readBack(done, of: total))
          if namespace.settings.watch.isInterrupted() { throw .interrupted }
        }
      } catch .file {
        throw .cannotRotate(.notVerified)
      }
    }
    if !missing.isEmpty { throw .cannotRotate(.notVerified) }
  }
}

extension FileVersions {
  /// A version, for a copy that lists what it reaches.
  fileprivate func listing(_ place: Int) -> Version {
    var version = versions[place]
    version.put = version.put.replacing(reached(from: place))
    return version
  }
}

extension FileVersion {
  /// The size of the contents in bytes; 0 if they lie in the operation.
  fileprivate var objectBytes: UInt64 { object == nil ? 0 : size }
}
