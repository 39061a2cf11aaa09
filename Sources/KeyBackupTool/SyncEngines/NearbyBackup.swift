/// A backup in the folder above or below one that a person named: that one is probably meant.
enum NearbyBackup {
  /// The folder above that holds a backup, as it does for `cspp-namespaces` and what is in that.
  ///
  /// - Parameter path: a path that exists.
  /// - Returns: the nearest one; nil: there is none up to three levels above.
  static func above(_ path: String) -> String? {
    guard var place = FileCheck.absolute(path) else { return nil }
    for _ in 1...3 {
      guard let slash = place.lastIndex(of: "/"), slash != place.startIndex else { return nil }
      place = String(place[..<slash])
      if holds(place) { return place }
    }
    return nil
  }

  /// The folders one level below that hold a backup, at most a few.
  static func below(_ path: String) -> [String] {
    guard let place = FileCheck.absolute(path) else { return [] }
    let found = TimeLimit.result(within: patience) { KnownSyncFolders.backups(below: place) }
    return Array((found ?? []).prefix(mostShown))
  }

  /// Those one level above and below.
  static func near(_ path: String) -> [String] {
    guard let place = FileCheck.absolute(path) else { return [] }
    let parent = place.lastIndex(of: "/").map { String(place[..<$0]) } ?? ""
    let isInside = !parent.isEmpty && holds(parent)
    return (isInside ? [parent] : []) + below(place)
  }

  private static let mostShown = 5
  private static let patience = 3.0

  private static func holds(_ place: String) -> Bool {
    TimeLimit.result(within: patience) { KnownSyncFolders.holdsNamespace(place) } ?? false
  }
}
