public import CSPP

/// What a person is asked to take for the truth: the folder as it stands.
///
/// Whatever changes between the question and the answer is not accepted.
public struct Acceptance: Sendable {
  /// The namespace.
  public let namespaceID: NamespaceID
  /// How the logs stand now, without a key.
  public let health: LogHealth
  /// Operations that should be here and of which there is no trace.
  public let gaps: Int
  let present: OperationNames
  let awaited: OperationNames

  /// Whether anything is lost, forked or lacking, as far as can be seen without
  /// a key, that accepting settles.
  public var isNeeded: Bool { health.rolledBack + health.forked + gaps > 0 }
}

extension Namespace {
  /// What ``accept(_:)`` would accept.
  ///
  /// Needs no key, so contradictions that only opened operations tell do not
  /// show; they are accepted with the operations that make them.
  ///
  /// - Throws: a listing that fails.
  public func acceptance() throws(BackupFolderError) -> Acceptance {
    let localState = rememberedOrNothing()
    // What was not listed must not be accepted as gone.
    if let folder = try logFolder() { _ = try LogListing(folder) }
    let log = try LogHeaders.read(self, localState: localState)
    let present = log.names
    let awaited = OperationNames(log.unsynchronised.union(log.damaged)).subtracting(present)
    let health = health(
      of: log.index, localState: localState, unsynchronised: log.unsynchronised,
      damaged: log.damaged)
    return Acceptance(
      namespaceID: id, health: health,
      gaps: health.incomplete - log.unsynchronised.count { !present.contains($0) },
      present: present, awaited: awaited)
  }

  /// Takes the folder as it was shown for what was seen.
  ///
  /// What is gone is no longer reported as rolled back, what contradicts itself
  /// no longer as forked. What happens later is.
  ///
  /// - Parameter acceptance: what a person has agreed to.
  /// - Throws: system errors of the state folder.
  public func accept(_ acceptance: Acceptance) throws(BackupFolderError) {
    let state = try state(make: true)
    let lock = try state.lock()
    var localState = try state.localState(of: id)
    localState.accept(acceptance.present, awaited: acceptance.awaited, at: settings.clock())
    try state.save(localState, of: id)
    _ = consume lock
  }
}

extension BackupFolder {
  /// Forgets namespaces that this computer knew and that are gone.
  ///
  /// - Parameter ids: from ``vanishedNamespaces()``; one that is there again
  ///   stays remembered.
  /// - Throws: a listing that fails; system errors of the state folder.
  public func acceptLoss(of ids: [NamespaceID]) throws(BackupFolderError) {
    let gone = try Set(vanishedNamespaces())
    let state = try StateFolder(path: settings.stateFolder, folder: root, make: false)
    let lock = try state.lock()
    for id in ids where gone.contains(id) { try state.forget(id) }
    _ = consume lock
  }
}
