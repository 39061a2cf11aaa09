import TestSupport

/// An attack by somebody who can write to the folder but has no key: restores or removes files.
enum Attack: String, CaseIterable {
  /// Restores the whole folder to an earlier state.
  case snapshot
  /// Restores or removes some files.
  case some
  /// Removes everything that CSPP does not define.
  case ownFolder
  /// Swaps the names of two files.
  case swap
  /// Empties a file.
  case empty

  /// Plays the attack on a replica.
  ///
  /// - Parameters:
  ///   - replica: the attacked replica.
  ///   - old: an earlier state of it.
  ///   - archive: knows contents.
  ///   - time: the time of the change.
  ///   - generator: selects the files.
  func play(
    on replica: Replica, old: [String: Replica.Version], archive: Archive, time: Int,
    using generator: inout SeededGenerator
  ) {
    let paths = replica.files.keys.sorted()
    switch self {
    case .snapshot: replica.replace(with: old)
    case .some:
      for path in paths.shuffled(using: &generator).prefix(max(1, paths.count / 4)) {
        if let version = old[path] {
          replica.tamper(path, version.content, time: version.time)
        } else {
          replica.tamper(path, nil, time: time)
        }
      }
    case .ownFolder:
      for path in paths where path.contains("/keybackup/") {
        replica.tamper(path, nil, time: time)
      }
    case .swap, .empty:
      guard paths.count > 1 else { return }
      let chosen = paths.shuffled(using: &generator).prefix(2)
      let (one, other) = (chosen[0], chosen[1])
      let (first, second) = (replica.files[one], replica.files[other])
      if self == .swap {
        replica.tamper(one, second, time: time)
        replica.tamper(other, first, time: time)
      } else {
        replica.tamper(one, archive.content([]), time: time)
      }
    }
  }
}
