public import CSPP

/// Which of a folder's namespaces is meant when nobody says: rotations of the
/// master key leave several, and nothing plain links them (docs/decisions/0020).
extension BackupFolder {
  /// What this computer remembers of a namespace that is here.
  private enum Standing {
    /// It opened it, and knows of none that follows.
    case known
    case unknown
    /// A rotation that it began is about to make it.
    case unfinished
  }

  /// The namespaces here that may be in charge, those that this computer knows
  /// first.
  ///
  /// Those that it knows to be followed by another one that is here are left out.
  ///
  /// - Throws: a listing that fails.
  public func candidates() throws(BackupFolderError) -> [NamespaceID] {
    try standings(of: namespaces()).map(\.id)
  }

  /// All namespaces here that a way in may open, the candidates first: also in one
  /// that another follows lie files of keys that were not at hand then.
  ///
  /// - Throws: a listing that fails.
  public func openable() throws(BackupFolderError) -> [NamespaceID] {
    let first = try candidates()
    var all = first
    for id in try namespaces() where !first.contains(id) {
      if try isBegun(id) { all.append(id) }
    }
    return all
  }

  /// Whether a namespace has a log, or is another program's, which keeps none: one
  /// of this program without is not there yet, or never came to be.
  private func isBegun(_ id: NamespaceID) throws(BackupFolderError) -> Bool {
    let namespace = try namespace(id)
    guard let scan = try? namespace.scan(), scan.waysIn.contains(where: { $0.keyID != nil }) else {
      return true
    }
    guard let logs = try? namespace.logFolder() else { return false }
    return (try? LogListing.count(logs)) != 0
  }

  private func standings(
    of found: [NamespaceID]
  ) throws(BackupFolderError) -> [(id: NamespaceID, standing: Standing)] {
    if found.count < 2 { return found.map { ($0, .unknown) } }
    let state = try? StateFolder(path: settings.stateFolder, folder: root, make: false)
    var begun: [NamespaceID] = []
    for id in found {
      // What this computer knew and has lost its log is not to be passed over.
      let isKnown = try state?.memory(of: id).operations.isEmpty == false
      let isHere = try isBegun(id)
      if isKnown || isHere { begun.append(id) }
    }
    if begun.isEmpty { begun = found }
    guard let state else { return begun.map { ($0, .unknown) } }
    var known: [(id: NamespaceID, standing: Standing)] = []
    var others: [(id: NamespaceID, standing: Standing)] = []
    for id in begun {
      let memory = try state.memory(of: id)
      if let next = memory.movedTo, found.contains(next) { continue }
      if let from = memory.rotatingFrom, found.contains(from) {
        others.append((id, .unfinished))
      } else if memory.operations.isEmpty {
        others.append((id, .unknown))
      } else {
        known.append((id, .known))
      }
    }
    return known + others
  }

  /// Those candidates that this computer opened before, if it did any.
  func remembered(among found: [NamespaceID]) throws(BackupFolderError) -> [NamespaceID] {
    let all = try standings(of: found)
    let known = all.filter { $0.standing == .known }
    return (known.isEmpty ? all.filter { $0.standing == .unknown } : known).map(\.id)
  }
}
