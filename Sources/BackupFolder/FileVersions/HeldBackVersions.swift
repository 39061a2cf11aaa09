internal import CSPP

/// Versions that a retirement holds back, and those of them that a person has refused.
extension FileVersions {
  /// The versions that a retirement holds back, also those against which a person has decided.
  var retired: [Version] { heldBack + refused.map(\.version) }

  /// A version that waits for a decision, by what a list shows.
  func heldBack(_ version: StoredVersion) -> Version? { heldBack.first { $0.isShown(as: version) } }

  /// A version that was refused, by what a list shows.
  func refused(_ version: StoredVersion) -> Version? {
    refused.map(\.version).first { $0.isShown(as: version) }
  }

  /// The names by which a person decides against what is held back of a file.
  func heldBackNames(of file: FileID) -> [Digest] {
    Set(heldBack.filter { $0.put.fileID == file }.map(\.made)).sorted()
  }

  /// The versions that a version that was held back replaces: of its key only.
  ///
  /// What it follows may be held back too, and follow others.
  ///
  /// - Returns: the names that its copy replaces, and the ends of the way there that are held back.
  func predecessors(of held: Version) -> (names: [Digest], heldBack: Set<Digest>) {
    guard let key = held.by else { return ([], []) }
    let file = held.put.fileID
    let own = { (version: Version) in version.put.fileID == file && version.by == key }
    let counting = Dictionary(grouping: versions.filter(own), by: \.made)
    let waiting = Dictionary(grouping: retired.filter(own), by: \.made)
    var names: Set<Digest> = []
    var passed: Set<Digest> = []
    var next = held.put.replaces
    while let name = next.popLast() {
      if name == held.made { continue }
      let found = counting[name] ?? []
      names.formUnion(found.flatMap { [$0.made, $0.operation.digest] })
      if found.isEmpty, let behind = waiting[name], passed.insert(name).inserted {
        next += behind.flatMap(\.put.replaces)
      }
    }
    return (names.sorted(), passed)
  }
}
