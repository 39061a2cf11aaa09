public import CSPP

/// The namespaces of a folder, sorted by the local state.
///
/// Nothing unsealed in a namespace counts: anyone who can write to the folder can add any number of
/// namespaces, with any times in them (docs/decisions/0027).
public struct NamespaceSelection: Sendable {
  /// Namespaces that this computer opened and that have no known successor here, in order.
  ///
  /// If there is none, it is the one to which this computer was last authorised to write.
  public fileprivate(set) var known: [NamespaceID] = []
  /// Namespaces that this computer never opened, or the only one, in order.
  public fileprivate(set) var unknown: [NamespaceID] = []
  /// Namespaces that an unfinished rotation on this computer creates.
  public fileprivate(set) var unfinished: [NamespaceID] = []

  /// The default namespace: the only known one or, if none is known, the only one.
  public var settled: NamespaceID? { meant.count == 1 ? meant[0] : nil }

  /// All of these namespaces.
  public var all: [NamespaceID] { known + unknown + unfinished }

  /// The namespaces from which the default is chosen.
  var meant: [NamespaceID] { known.isEmpty ? unknown : known }
}

/// Selects the default namespace of a folder.
///
/// Rotations of the master key leave several, and no plain field links them (docs/decisions/0020).
extension BackupFolder {
  /// The namespaces here that may be in charge.
  ///
  /// Omits namespaces whose successor, as known to this computer, is in this folder.
  ///
  /// - Throws: if a listing fails.
  public func candidates() throws(BackupFolderError) -> NamespaceSelection {
    try candidates(among: namespaces())
  }

  /// The last namespace to which a namespace has moved, as this computer knows from
  /// opening it.
  ///
  /// - Parameter id: the namespace.
  /// - Returns: nil if this computer knows of no rotation of its master key.
  public func knownSuccessor(of id: NamespaceID) -> NamespaceID? {
    let state = try? StateFolder(path: settings.stateFolder, folder: root, make: false)
    var seen: Set<NamespaceID> = [id]
    var last: NamespaceID?
    while let next = state?.readableMemory(of: last ?? id).movedTo, seen.insert(next).inserted {
      last = next
    }
    return last
  }

  /// All namespaces here that a key slot may open, the candidates first.
  ///
  /// A namespace with a successor also has files of keys that were not plugged in at its rotation.
  ///
  /// - Throws: if a listing fails.
  public func openable() throws(BackupFolderError) -> [NamespaceID] {
    let first = try candidates().all
    var all = first
    for id in try namespaces() where !first.contains(id) {
      if try isBegun(id) { all.append(id) }
    }
    return all
  }

  /// Whether a namespace has a log, or is another program's, which has none.
  ///
  /// A namespace of this program without a log is not synchronised yet or was never finished.
  private func isBegun(_ id: NamespaceID) throws(BackupFolderError) -> Bool {
    let namespace = try namespace(id)
    // Asked first: it needs no file to be read.
    if let logs = try? namespace.logFolder(), (try? LogListing.count(logs)) != 0 { return true }
    let scan = try? namespace.scan()
    return scan?.keySlots.contains { $0.keyID != nil } != true
  }

  /// Sorts namespaces by the local state.
  func candidates(among found: [NamespaceID]) throws(BackupFolderError) -> NamespaceSelection {
    if found.count < 2 { return NamespaceSelection(unknown: found) }
    var candidates = NamespaceSelection()
    let state = try? StateFolder(path: settings.stateFolder, folder: root, make: false)
    var begun: [NamespaceID] = []
    for id in found {
      // A namespace that this computer knew and that lost its log must not be omitted.
      let isKnown = state?.knows(id) ?? false
      let isHere = try isBegun(id)
      if isKnown || isHere { begun.append(id) }
    }
    if begun.isEmpty { begun = found }
    for id in begun {
      let localState = state?.readableMemory(of: id) ?? LocalState()
      if let next = localState.movedTo, found.contains(next) { continue }
      // One to which the other has moved is finished, whatever was not remembered any more.
      if let from = localState.rotatingFrom, found.contains(from),
        state?.readableMemory(of: from).movedTo != id
      {
        candidates.unfinished.append(id)
      } else if state?.knowsHere(id) == true {
        candidates.known.append(id)
      } else {
        candidates.unknown.append(id)
      }
    }
    // What was opened at another path comes second: anyone can copy such a namespace into this folder.
    if candidates.known.isEmpty, let state {
      candidates.known = candidates.unknown.filter { state.knows($0) }
      candidates.unknown.removeAll { candidates.known.contains($0) }
    }
    if candidates.known.isEmpty,
      let writer = try? localSilentWriters().last(where: { $0.namespaceID != nil }),
      let own = writer.namespaceID, let place = candidates.unknown.firstIndex(of: own)
    {
      // A person compared what this computer accepted, now and before.
      candidates.known = [candidates.unknown.remove(at: place)]
      candidates.unknown.removeAll { writer.earlier.contains($0) }
    }
    return candidates
  }
}
