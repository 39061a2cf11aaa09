public import CSPP

/// The state of a folder that the user is asked to accept.
///
/// Changes between the question and the answer are not accepted.
public struct Acceptance: Sendable {
  /// The namespace.
  public let namespaceID: NamespaceID
  /// The state of the logs now, as far as it shows without a key.
  public let health: LogHealth
  /// The number of operations that should be here and of which there is no trace.
  public let gaps: Int
  let present: OperationNames
  let awaited: OperationNames
  /// Those of them that follow one that is missing, as far as nobody has accepted that yet.
  let sealedGaps: OperationNames
  /// The sealed operations that are missing, as far as nobody has accepted that yet.
  let sealedLosses: OperationNames
  /// This computer's last versions as a silent writer that are not whole here.
  let versionsNotHere: OperationNames

  /// The number of files whose last version by this computer is here, without its contents.
  public var contentsNotHere: Int { versionsNotHere.subtracting(sealedLosses).count }

  /// Whether accepting settles anything that is lost, forked or missing, as far as it shows without
  /// a key.
  public var isNeeded: Bool { health.rolledBack + health.forked + gaps + contentsNotHere > 0 }
}

extension Namespace {
  /// The state that ``accept(_:)`` would accept.
  ///
  /// Needs no key, so contradictions that only opened operations reveal do not show. They are
  /// accepted together with the operations that cause them.
  ///
  /// - Throws: if a listing fails.
  public func acceptance() throws(BackupFolderError) -> Acceptance {
    let localState = rememberedOrNothing()
    // A name that was not listed must not be accepted as missing.
    if let folder = try logFolder() { _ = try LogListing(folder) }
    let log = try LogHeaders.read(self, localState: localState)
    let present = log.names
    let awaited = OperationNames(log.unsynchronised.union(log.damaged)).subtracting(present)
    var health = health(
      of: log.index, localState: localState, unsynchronised: log.unsynchronised,
      damaged: log.damaged)
    let memory = rememberedFiles
    let missing = try missingSealed()
    // Also those of which only a conflict copy is here.
    let presentSealed = try sealedNames().union(memory.verified.subtracting(missing))
    let losses = try memory.losses.subtracting(arrived(among: memory))
    // What had a file, and could not be opened, was told as gone, too.
    let gone = OperationNames(losses.filter(memory.verified.contains))
      .union(missing)
    health.include(rolledBack: gone)
    let sealedGaps = try OperationNames(
      openGaps(memory, among: presentSealed, besides: losses)
    ).union(presentSealed.withoutPredecessor).subtracting(memory.acceptedGaps)
    let versions = try OperationNames(lastVersionsNotHere()).subtracting(memory.acceptedVersions)
    // Files that nobody authorised are among what could not be opened.
    var awaitedHere: [OperationName] = []
    for name in OperationNames(lastSealedHere.map(\.name)).union(versions)
    where !presentSealed.contains(name) {
      if try !holds(sealed: name) { awaitedHere.append(name) }
    }
    let awaitedSealed = OperationNames(awaitedHere).union(losses)
      .subtracting(memory.acceptedLosses).subtracting(gone)
    return Acceptance(
      namespaceID: id, health: health,
      gaps: health.incomplete - log.unsynchronised.count { !present.contains($0) }
        + sealedGaps.count + awaitedSealed.count,
      present: present, awaited: awaited, sealedGaps: sealedGaps,
      sealedLosses: gone.union(awaitedSealed), versionsNotHere: versions)
  }

  /// The operations before which something was missing when the backup was last opened here, and still
  /// is.
  ///
  /// Which one an operation follows shows only with the key: two may have the same counter, and one
  /// that nobody has opened yet may be it. What has other bytes than its name says is none.
  private func openGaps(
    _ memory: FileMemory, among present: OperationNames, besides losses: OperationNames
  ) throws(BackupFolderError) -> [OperationName] {
    let unopened = present.subtracting(memory.verified).subtracting(memory.unauthorised)
      .subtracting(losses)
    var found: [OperationName] = []
    for gap in memory.gaps where present.contains(gap) {
      let before = unopened.all(of: gap.writer, gap.counter - 1)
      if try !holdsOne(of: before) { found.append(gap) }
    }
    return found
  }

  private func holdsOne(of names: [OperationName]) throws(BackupFolderError) -> Bool {
    for name in names where try holds(sealed: name) { return true }
    return false
  }

  /// The operations that could not be opened when the backup was last opened here, and that came since.
  private func arrived(
    among memory: FileMemory
  ) throws(BackupFolderError) -> OperationNames {
    var found: [OperationName] = []
    for name in memory.losses where !memory.unauthorised.contains(name) {
      if try holds(sealed: name) { found.append(name) }
    }
    return OperationNames(found)
  }

  /// Records the folder, as it was shown, as the state that this computer has seen.
  ///
  /// Missing operations are no longer reported as rolled back, nor contradictions as forked. Later
  /// ones are.
  ///
  /// - Parameter acceptance: the state to which the user agreed.
  /// - Throws: system errors of the state folder.
  public func accept(_ acceptance: Acceptance) throws(BackupFolderError) {
    let state = try state(make: true)
    let lock = try state.lock()
    var localState = try state.localState(of: id)
    for other in try state.otherPaths(of: id) {
      localState.operations.formUnion(other.state.operations.subtracting(localState.forgotten))
    }
    localState.accept(acceptance.present, awaited: acceptance.awaited, at: settings.clock())
    try state.save(localState, of: id)
    var files = try state.files(of: id)
    let settled = [acceptance.sealedLosses, acceptance.sealedGaps, acceptance.versionsNotHere]
    if !settled.allSatisfy(\.isEmpty) {
      files.verified = files.verified.subtracting(acceptance.sealedLosses)
      files.losses = files.losses.subtracting(acceptance.sealedLosses)
      files.acceptedLosses.formUnion(acceptance.sealedLosses)
      files.acceptedGaps.formUnion(acceptance.sealedGaps)
      files.acceptedVersions.formUnion(acceptance.versionsNotHere)
      try state.save(files, of: id)
    }
    _ = consume lock
  }
}

extension Namespace {
  /// The memory of files; nothing where it cannot be read.
  var rememberedFiles: FileMemory {
    guard let state = try? state(make: false) else { return FileMemory() }
    return (try? state.files(of: id)) ?? FileMemory()
  }

  /// The sealed operations that were opened here before and of which no file claims to be, nor is a
  /// conflict copy.
  func missingSealed() throws(BackupFolderError) -> OperationNames {
    let missing = try rememberedFiles.verified.subtracting(sealedNames())
    var found: [OperationName] = []
    for name in missing where try !holds(sealed: name) { found.append(name) }
    return OperationNames(found)
  }

  /// The sealed operations that the names of files claim.
  func sealedNames() throws(BackupFolderError) -> OperationNames {
    guard let folder = try ownFolder(FolderLayout.sealedFolder) else { return [] }
    return try LogListing(folder).claimedNames
  }
}

extension BackupFolder {
  /// The namespaces here that this computer has opened, besides one.
  ///
  /// - Throws: if a listing fails.
  public func remembered(
    besides id: NamespaceID
  ) throws(BackupFolderError) -> [Namespace] {
    guard let state = try? StateFolder(path: settings.stateFolder, folder: root, make: false) else {
      return []
    }
    var found: [Namespace] = []
    for other in try state.namespaces().sorted() where other != id {
      if let here = try? namespace(other) { found.append(here) }
    }
    return found
  }

  /// Forgets namespaces that this computer knew and that are missing.
  ///
  /// - Parameter ids: from ``vanishedNamespaces()``; a namespace that has come back stays
  ///   remembered.
  /// - Throws: if a listing fails; system errors of the state folder.
  public func acceptLoss(of ids: [NamespaceID]) throws(BackupFolderError) {
    let gone = try Set(vanishedNamespaces())
    let state = try StateFolder(path: settings.stateFolder, folder: root, make: false)
    let lock = try state.lock()
    for id in ids where gone.contains(id) { try state.forget(id) }
    _ = consume lock
    // It could write nowhere, and its namespace would be told of again each time.
    for writer in (try? localSilentWriters()) ?? [] {
      guard let id = writer.namespaceID, gone.contains(id), ids.contains(id) else { continue }
      try forgetSilentWriter(writer.writerID)
    }
  }
}
