package import BackupFolder
internal import CSPP
internal import CommandKit

/// One version that is to be restored, and its place below the folder.
package struct PlannedFile: Sendable {
  package let file: BackedUpFile
  package let version: StoredVersion
  /// The folder: the label of the computer that made the version.
  package let folder: String
  package let name: String
  /// Why it does not get the file's own name; nil: it does.
  let aside: String?
  /// Its place below the folder, where it has one that the file system can have.
  private var place: String?

  /// The word for a removed file.
  package static let removed = "removed"
  /// The word for one of two files that have one name.
  static let namesake = "of"

  /// Whether a person has to choose: it is beside the file's own name, and nobody asked for that.
  var isChoice: Bool { aside != nil && aside != Self.removed }
  /// Whether it is one of two files that have one name.
  var isNamesake: Bool { aside?.hasPrefix(Self.namesake + "-") ?? false }

  /// The folder of versions whose computer has no name that can be a folder's.
  static let nameless = "other computer"

  /// - Parameters:
  ///   - version: the version.
  ///   - file: its file.
  ///   - aside: the word between the file's name and the version's, if it does not get its own name.
  package init(_ version: StoredVersion, of file: BackedUpFile, aside: String? = nil) {
    self.version = version
    self.file = file
    self.aside = aside
    folder = version.label?.text ?? Self.nameless
    guard let aside else {
      name = version.name.text
      return
    }
    let suffix = ".\(aside)-\(version.shortName)"
    var stem = version.name.text
    while stem.utf8.count + suffix.utf8.count > PathComponent.byteLimit { stem.removeLast() }
    name = stem + suffix
  }

  /// Where the version goes, below the folder.
  package var path: String { place ?? plannedPath }
  /// Where it goes if the file system can have that name.
  var plannedPath: String { "\(folder)/\(name)" }
  /// Whether it has another name than planned.
  var isRenamed: Bool { NameBytes(path) != NameBytes(plannedPath) }

  /// The version, at the place that it got.
  package func placed(at place: String) -> PlannedFile {
    var file = self
    file.place = place
    return file
  }

  /// Where it would go if nothing else had its name.
  var ownPath: String { "\(folder)/\(version.name.text)" }

  /// The attributes of the restored file.
  package var attributes: RestoredTree.Attributes {
    RestoredTree.Attributes(
      size: version.size, modified: version.modified, mode: version.mode, content: version.content)
  }
}

/// The versions that a restore without `--version` writes.
package struct FilePlan: Sendable {
  package private(set) var planned: [PlannedFile] = []

  /// - Parameters:
  ///   - files: all or some files of the backup.
  ///   - withRemoved: whether removed files are written aside, too.
  package init(_ files: [BackedUpFile], withRemoved: Bool) {
    for file in files { plan(file, withRemoved: withRemoved) }
    // Two files of one name: none of them gets it.
    let counts = Dictionary(planned.map { (NameBytes($0.path), 1) }, uniquingKeysWith: +)
    planned = planned.map { one in
      one.aside == nil && counts[NameBytes(one.path)] ?? 0 > 1
        ? PlannedFile(
          one.version, of: one.file, aside: PlannedFile.namesake + "-" + one.file.id.hex.prefix(8))
        : one
    }
  }

  private mutating func plan(_ file: BackedUpFile, withRemoved: Bool) {
    var contents: Set<Digest> = []
    let live = file.live.filter { contents.insert($0.content).inserted }
    let isConflict = live.count > 1
    planned += live.map { PlannedFile($0, of: file, aside: isConflict ? "conflict" : nil) }
    // Of each retired key the newest: `file history` shows the others.
    var keys: Set<SigningKey?> = []
    for version in file.versions {
      switch version.standing {
      case .live, .replaced: continue
      case .heldBack:
        guard keys.insert(version.by).inserted, contents.insert(version.content).inserted else {
          continue
        }
        planned.append(PlannedFile(version, of: file, aside: "held-back"))
      case .late:
        guard contents.insert(version.content).inserted else { continue }
        let isNext = live.isEmpty && file.isContinued(by: version)
        planned.append(PlannedFile(version, of: file, aside: isNext ? nil : "late"))
      case .removed:
        guard withRemoved, live.isEmpty, !version.isRefused,
          contents.insert(version.content).inserted
        else { continue }
        planned.append(PlannedFile(version, of: file, aside: PlannedFile.removed))
      }
    }
  }
}

extension BackedUpFile {
  /// Whether a late version is the only one, and took the place of one that its computer had made
  /// before the master key was rotated.
  fileprivate func isContinued(by late: StoredVersion) -> Bool {
    guard let key = late.by, Set(versions.filter { $0.standing == .late }.map(\.content)).count == 1
    else { return false }
    return versions.contains {
      $0.standing == .replaced && $0.by == key && $0.namespace != late.namespace
    }
  }
}
