public import CSPP

/// The namespaces of a folder, by what this computer remembers of them.
///
/// Nothing that lies open in a namespace counts: whoever writes to the folder can put any
/// number of namespaces there, with any times in them (docs/decisions/0027).
public struct NamespaceSelection: Sendable {
  /// It opened them, and knows of none here that follows; in order.
  public fileprivate(set) var known: [NamespaceID] = []
  /// It never opened them, or there is no other one; in order.
  public fileprivate(set) var unknown: [NamespaceID] = []
  /// A rotation that it began is about to make them.
  public fileprivate(set) var unfinished: [NamespaceID] = []

  /// The one that is meant when nobody says: the only one that is known; where none is, the
  /// only one there is.
  public var settled: NamespaceID? { meant.count == 1 ? meant[0] : nil }

  /// All of them.
  public var all: [NamespaceID] { known + unknown + unfinished }

  /// Those one of which is meant when nobody says.
  var meant: [NamespaceID] { known.isEmpty ? unknown : known }
}

/// Which of a folder's namespaces is meant when nobody says: rotations of the
/// master key leave several, and nothing plain links them (docs/decisions/0020).
extension BackupFolder {
  /// The namespaces here that may be in charge.
  ///
  /// Those that this computer knows to be followed by another one that is here are left out.
  ///
  /// - Throws: a listing that fails.
  public func candidates() throws(BackupFolderError) -> NamespaceSelection {
    try candidates(among: namespaces())
  }

  /// All namespaces here that a key slot may open, the candidates first: also in one
  /// that another follows lie files of keys that were not at hand then.
  ///
  /// - Throws: a listing that fails.
  public func openable() throws(BackupFolderError) -> [NamespaceID] {
    let first = try candidates().all
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
    guard let scan = try? namespace.scan(), scan.keySlots.contains(where: { $0.keyID != nil })
    else {
      return true
    }
    guard let logs = try? namespace.logFolder() else { return false }
    return (try? LogListing.count(logs)) != 0
  }

  /// Sorts namespaces by what is remembered of them.
  func candidates(among found: [NamespaceID]) throws(BackupFolderError) -> NamespaceSelection {
    if found.count < 2 { return NamespaceSelection(unknown: found) }
    var candidates = NamespaceSelection()
    let state = try? StateFolder(path: settings.stateFolder, folder: root, make: false)
    var begun: [NamespaceID] = []
    for id in found {
      // What this computer knew and has lost its log is not to be passed over.
      let isKnown = state?.knows(id) ?? false
      let isHere = try isBegun(id)
      if isKnown || isHere { begun.append(id) }
    }
    if begun.isEmpty { begun = found }
    for id in begun {
      let localState = state?.readableMemory(of: id) ?? LocalState()
      if let next = localState.movedTo, found.contains(next) { continue }
      if let from = localState.rotatingFrom, found.contains(from) {
        candidates.unfinished.append(id)
      } else if state?.knows(id) == true {
        candidates.known.append(id)
      } else {
        candidates.unknown.append(id)
      }
    }
    return candidates
  }
}
