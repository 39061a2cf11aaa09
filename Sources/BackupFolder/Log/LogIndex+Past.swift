internal import CSPP

extension LogIndex {
  /// A version of a record that no longer counts.
  struct Past {
    /// The index in ``LogIndex/versions`` of the newest `put` with its bytes.
    let place: Int
    /// Whether another version took its place; otherwise the record was removed.
    let isReplaced: Bool
    /// The index in ``LogIndex/versions`` of the oldest `remove` of these bytes; nil where
    /// ``isReplaced``.
    let removal: Int?
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
      let last = lastPuts(of: value, among: all)
      let isReplaced = isReplaced(value, last, among: all)
      let removal = all.last { place in
        versions.value(place) == nil && last.contains { covers(versions.node(place), $0) }
      }
      return Past(place: place, isReplaced: isReplaced, removal: isReplaced ? nil : removal)
    }
  }

  /// The operations with the last `put` of these bytes: several if none of them knew the other.
  private func lastPuts(of value: Digest, among all: [Int]) -> [Int] {
    let own = all.filter { versions.value($0) == value }.map { versions.node($0) }
    return own.filter { node in !own.contains { covers($0, node) } }
  }

  /// Whether an operation with other bytes covers one of the last `put`s of these.
  private func isReplaced(_ value: Digest, _ last: [Int], among all: [Int]) -> Bool {
    all.contains { place in
      guard let other = versions.value(place), other != value else { return false }
      return last.contains { covers(versions.node(place), $0) }
    }
  }
}
