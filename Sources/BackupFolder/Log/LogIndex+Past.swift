internal import CSPP

extension LogIndex {
  /// A version of a record that no longer counts.
  struct Past {
    /// The index in ``LogIndex/versions`` of the newest `put` with its bytes.
    let place: Int
    /// Whether another version took its place; otherwise the record was removed.
    let isReplaced: Bool
  }

  /// A record's versions that no longer count, newest first; equal bytes count once.
  ///
  /// Bytes of which some `put` is live are not among them.
  func past(_ record: RecordID) -> [Past] {
    let all = history(of: record)
    // Nearly every record has only one version.
    if all.count == 1 { return [] }
    var known = Set(live(record).compactMap { versions.value($0) })
    return all.compactMap { place in
      guard let value = versions.value(place), known.insert(value).inserted else { return nil }
      return Past(place: place, isReplaced: isReplaced(value, among: all))
    }
  }

  /// Whether an operation with other bytes covers the last `put` of these.
  ///
  /// Several `put`s of them are the last if none of them knew the other.
  private func isReplaced(_ value: Digest, among all: [Int]) -> Bool {
    let own = all.filter { versions.value($0) == value }.map { versions.node($0) }
    let last = own.filter { node in !own.contains { covers($0, node) } }
    return all.contains { place in
      guard let other = versions.value(place), other != value else { return false }
      return last.contains { covers(versions.node(place), $0) }
    }
  }
}
