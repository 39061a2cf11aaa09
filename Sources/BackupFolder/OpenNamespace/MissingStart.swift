internal import CSPP

/// The beginning of a backup's history that is not here.
public enum MissingStart: Equatable, Sendable {
  /// Another computer's rotation that made the namespace has not finished, and the namespace that it
  /// followed is missing.
  case rotationSource
  /// The end of the rotation that made the namespace: it is a copy, and another one is in charge.
  case rotationEnd
  /// Every operation that enrolled a key slot, also the one by which the namespace was opened.
  case keySlots
}

extension OpenNamespace {
  /// The beginning that is missing; nil: there is none.
  ///
  /// Other ways in, wallets and files may still come. Who writes or rotates now does it without them.
  /// A person may accept that a log is empty for good, or that what was here before is gone.
  public var missingStart: MissingStart? {
    let here = lineage.openElsewhere.union(lineage.earlier.map { $0.open.id })
    let isOwn = localState.isTrusted && localState.rotatingFrom == nil
    if !log.links.isSettled, !isOwn,
      log.links.earlier.contains(where: { !here.contains($0.namespaceID) })
    {
      return .rotationSource
    }
    let isAccepted =
      localState.acceptedAt != nil
      && (localState.accepted.isEmpty || !localState.forgotten.isEmpty)
    // A run that was killed may leave the file of one slot without its operation.
    let knowsSlots =
      !log.keyFiles.isEmpty || !log.pendingKeySlots.isEmpty || !log.removedKeys.isEmpty
    return openedBy == nil || isAccepted || knowsSlots ? nil : .keySlots
  }

  /// Whether the rotation that made this namespace has finished, as far as is known here.
  public var isRotationFinished: Bool {
    log.links.isSettled || log.links.earlier.isEmpty
      || lineage.earlier.contains { older in
        older.open.log.links.successors.contains { $0.id == id }
      }
  }
}
