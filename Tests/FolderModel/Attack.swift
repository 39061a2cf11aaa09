import TestSupport

/// Somebody who can write to the folder, but has no key, puts back or takes
/// away files.
enum Attack: String, CaseIterable {
  /// The whole folder as it was.
  case snapshot
  /// Some files as they were, or gone.
  case some
  /// All that CSPP does not know.
  case ownFolder
  /// Two files exchange their names.
  case swap
  /// A file has nothing in it.
  case empty

  /// Does it to a replica.
  ///
  /// - Parameters:
  ///   - replica: whose.
  ///   - old: an earlier state of it.
  ///   - archive: knows contents.
  ///   - time: of the change.
  ///   - generator: decides which files.
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
