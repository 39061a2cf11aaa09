/// The names that sync programs give to the version of a file that lost.
public enum ConflictNames: String, CaseIterable, Sendable {
  case dropbox, dropboxCase, nextcloud, ownCloud, oneDrive, syncthing, googleDrive, googleDriveWeb,
    iCloud, rclonePath1, rclonePath2, rcloneConflict, seafile, mega, pCloud, box, resilio, unison,
    insync, tresorit, spiderOak

  /// The name of a conflict copy.
  ///
  /// - Parameters:
  ///   - name: the file's own name, which ends in `.json`.
  ///   - number: tells several copies apart.
  /// - Returns: a name in the same folder.
  public func copy(of name: String, number: Int = 1) -> String {
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    let (stem, suffix) = (name[..<dot], name[dot...])
    let clock = String(101_112 + number)
    switch self {
    case .dropbox:
      return number == 1
        ? "\(stem) (Host's conflicted copy 2026-11-21)\(suffix)"
        : "\(stem) (Host's conflicted copy 2026-11-21 (\(number)))\(suffix)"
    case .dropboxCase: return "\(stem) (Case Conflict \(number))\(suffix)"
    case .nextcloud: return "\(stem) (conflicted copy 2026-11-21 \(clock))\(suffix)"
    case .ownCloud: return "\(stem)_conflict-20261121-\(clock)\(suffix)"
    case .oneDrive: return number == 1 ? "\(stem)-HOST\(suffix)" : "\(stem)-HOST-\(number)\(suffix)"
    case .syncthing: return "\(stem).sync-conflict-20261121-\(clock)-ABCDEFG\(suffix)"
    case .googleDrive: return "\(stem) (\(number))\(suffix)"
    case .googleDriveWeb: return "\(stem)\(suffix) (\(number))"
    case .iCloud: return "\(stem) \(number + 1)\(suffix)"
    case .rclonePath1: return "\(name)..path1" + (number == 1 ? "" : "-\(number)")
    case .rclonePath2: return "\(name)..path2" + (number == 1 ? "" : "-\(number)")
    case .rcloneConflict: return "\(name).conflict\(number)"
    case .seafile:
      return "\(stem) (SFConflict user@example.org 2026-11-21-10-11-\(number))\(suffix)"
    case .mega: return "\(stem) (\(number)) (conflicted)\(suffix)"
    case .pCloud: return "\(stem) [conflicted \(number)]\(suffix)"
    case .box: return "\(stem) (user's conflicted copy \(number))\(suffix)"
    case .resilio: return "\(stem).\(number).Conflict\(suffix)"
    case .unison: return "\(stem).Conflict \(number) of \(name)"
    case .insync: return "\(stem) (Conflict \(number) of user's copy)\(suffix)"
    case .tresorit: return "\(name) (conflicting copy \(number))"
    case .spiderOak: return "\(stem)(\(number))\(suffix)"
    }
  }
}
