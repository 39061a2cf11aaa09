internal import CSPP

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
    return Array(BackupSearch.run(place, itself: false).found.prefix(mostShown))
  }

  /// The backups above and one level below, and what could not be searched.
  static func near(_ path: String) -> (found: [String], unsearched: [UnsearchedFolder]) {
    guard let place = FileCheck.absolute(path) else { return ([], []) }
    let search = BackupSearch.run(place, itself: false)
    let above = above(place).map { [$0] } ?? []
    return (above + search.found.prefix(mostShown), search.unsearched)
  }

  /// Whether a path is inside a backup, where none can be made.
  ///
  /// - Parameter path: the path; need not exist yet.
  /// - Returns: true below `cspp-namespaces` and in a copy of a namespace.
  static func isInside(_ path: String) -> Bool {
    guard let place = FileCheck.future(path) else { return false }
    var parent = ""
    for name in place.split(separator: "/") {
      parent += "/" + name
      if name == FolderLayout.namespaces { return true }
      if NamespaceID(hex: String(name)) != nil, BackupSearch.isNamespace(parent) { return true }
    }
    return false
  }

  private static let mostShown = 5

  private static func holds(_ place: String) -> Bool { BackupSearch.holds(place) ?? false }
}
