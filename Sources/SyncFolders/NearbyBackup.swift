internal import CSPP
internal import CommandKit

/// A backup in the folder above or below one that a person named: that one is probably meant.
package enum NearbyBackup {
  /// The folder above that holds a backup, as it does for `cspp-namespaces` and what is in that.
  ///
  /// - Parameter path: a path that exists.
  /// - Returns: the nearest one; nil: there is none up to three levels above.
  package static func above(_ path: String) -> String? {
    FileCheck.absolute(path).flatMap { place in
      parents(place).first { BackupSearch.holds($0) == true }
    }
  }

  private static func parents(_ path: String) -> [String] {
    var (place, parents) = (path, [String]())
    while parents.count < 3, let slash = place.lastIndex(of: "/"), slash != place.startIndex {
      place = String(place[..<slash])
      parents.append(place)
    }
    return parents
  }

  /// The folders one level below that hold a backup, at most a few.
  package static func below(_ path: String) -> [String] {
    guard let place = FileCheck.absolute(path) else { return [] }
    return Array(BackupSearch.run(place, itself: false).found.prefix(mostShown))
  }

  /// The backups above and one level below, and what could not be searched.
  package static func near(_ path: String) -> (found: [String], unsearched: [UnsearchedFolder]) {
    guard let place = FileCheck.absolute(path) else { return ([], []) }
    let search = BackupSearch.run(place, itself: false)
    var (above, unsearched) = ([String](), search.unsearched)
    for parent in parents(place) {
      switch BackupSearch.holds(parent) {
      case true: above.append(parent)
      case false: break
      case nil:
        let namespaces = parent + "/" + FolderLayout.namespaces
        unsearched.append(UnsearchedFolder(path: namespaces, reason: .unreadable))
      }
    }
    return (above + search.found.prefix(mostShown), unsearched)
  }

  /// Whether a path is inside a backup, where none can be made.
  ///
  /// - Parameter path: the path; need not exist yet.
  /// - Returns: true below `cspp-namespaces` and in a copy of a namespace.
  package static func isInside(_ path: String) -> Bool {
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
}
