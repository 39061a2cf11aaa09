internal import CSPP

/// Ways in that were not at hand when the master key was rotated: a box waits for
/// each, and until it is used its only file is an earlier namespace's.
extension Namespace {
  /// Those that this computer knows of, by what a run with the master key told.
  ///
  /// One whose file is gone is left out: nothing opens its box any more.
  ///
  /// - Returns: as the earlier namespaces' files describe them.
  /// - Throws: a listing that fails.
  public func waitingWays() throws(BackupFolderError) -> [WayIn] {
    guard let state = try? state(make: false) else { return [] }
    let known = state.readableWays(of: id)
    if known.waiting.isEmpty { return [] }
    var found: [WayIn] = []
    for older in state.readableMemory(of: id).earlier.sorted() {
      guard let scan = try? sibling(older)?.scan() else { continue }
      for var way in scan.waysIn where way.hasWrapper && !way.isRemoved {
        guard let key = way.keyID, known.waiting.contains(key),
          !found.contains(where: { $0.keyID == key }), known.confirms(&way)
        else { continue }
        way.label = known.labels[key] ?? way.label
        way.provedAt = known.proved[key] ?? way.provedAt
        way.isEnrolled = true
        way.isWaiting = true
        found.append(way)
      }
    }
    return found
  }
}

extension OpenNamespace {
  /// The ways in, with those for which a box waits.
  ///
  /// - Throws: as ``Namespace/scan()``.
  public func allWaysIn() throws(BackupFolderError) -> [WayIn] {
    var ways = try waysIn()
    let known = namespace.rememberedWays()
    let files = keyWrappers()
    for way in waysWithoutFile {
      guard let left = files[way.keyID],
        var found = wayIn(earlier: way.keyID, holding: left.contentDigest)
      else { continue }
      found.provedAt = known.proved[way.keyID] ?? found.provedAt
      found.isEnrolled = true
      found.label = log.keyLabels[way.keyID]?.text ?? found.label
      found.isWaiting = true
      ways.append(found)
    }
    return ways
  }

  /// A way in as the file in an earlier namespace describes it, and no other one of
  /// its ID.
  private func wayIn(earlier key: KeyID, holding content: Digest) -> WayIn? {
    for older in earlier {
      for var way in (try? older.open.waysIn()) ?? []
      where way.keyID == key && way.isConfirmed(by: [content]) { return way }
      if let found = older.open.wayIn(earlier: key, holding: content) { return found }
    }
    return nil
  }
}
