public import CSPP
public import SecretMemory

/// Versions of wallets that were replaced or removed.
extension OpenNamespace {
  /// Opens every version that no longer counts and that the log keeps.
  ///
  /// Only operations that open with the master key have versions. Entries of silent writers are
  /// among them once an operation with the key has logged them: when they count, and before a
  /// decision against them. Those from before a rotation of the master key stay in the earlier
  /// namespace.
  ///
  /// - Parameters:
  ///   - record: the wallet; nil for all.
  ///   - body: receives each version and its entry's bytes, exactly as they were sealed.
  /// - Returns: the versions that could not be opened.
  /// - Throws: only the errors of `body`.
  public mutating func forEachPastVersion<E: Error>(
    of record: RecordID? = nil,
    _ body: (PastVersion, borrowing SecretBytes) throws(E) -> Void
  ) throws(E) -> [FileFinding] {
    var findings: [FileFinding] = []
    if let failure = readUnread() {
      findings.report(FileFinding(unlisted: LogProblems.path, failure))
    }
    var past: [Int: LogIndex.Past] = [:]
    for record in record.map({ [$0] }) ?? log.index.records {
      for version in log.index.past(record) { past[version.place] = version }
    }
    if past.isEmpty { return findings }
    let log = log
    let lost = try log.forEachPut(Array(past.keys), in: namespace, masterKey: masterKey) {
      (place, bytes) throws(E) in
      let record = log.index.versions[place].record
      // The log may hold anything that an authorised computer wrote.
      guard let entry = try? WalletEntry(parsing: bytes), entry.recordID == record else {
        findings.report(
          FileFinding(
            file: LogProblems.path, recordID: record, state: .unreadable,
            reason: "logged bytes are no entry of this wallet"))
        return
      }
      guard let value = log.index.versions.value(place), let ended = past[place],
        let origin = log.origin(of: value, record: record, mark: entry.mark)
      else { return }
      try body(
        PastVersion(
          recordID: record, id: VersionID(digest: value), entry: entry,
          ending: ended.isReplaced ? .replaced : .removed,
          removal: ended.removal.map { log.writing(at: $0) }, origin: origin), bytes)
    }
    for place in lost {
      findings.report(
        FileFinding(
          file: LogProblems.path, recordID: log.index.versions[place].record,
          state: .incomplete, reason: "its operation cannot be read again"))
    }
    return findings
  }
}

extension OperationLog {
  /// The computer whose operation has a change, with its name and its time.
  ///
  /// - Parameter place: an index in ``LogIndex/versions``.
  /// - Returns: the claims of that computer.
  fileprivate func writing(at place: Int) -> VersionOrigin {
    let node = index.versions.node(place)
    let writer = index.nodes[node].reference.writerID
    return VersionOrigin(
      writer: writer, label: labels[writer]?.text ?? "", at: times[node], isFound: false)
  }

  /// The computer that logged a version first, according to its mark or, without one, the writers'
  /// clocks.
  ///
  /// - Parameters:
  ///   - value: the digest of the version's bytes.
  ///   - record: the wallet.
  ///   - mark: the mark in these bytes, which counts only if it names an operation with them.
  /// - Returns: nil for a version that no log here has.
  func origin(of value: Digest, record: RecordID, mark: WalletEntry.Mark?) -> VersionOrigin? {
    let places = index.history(of: record).filter { index.versions.value($0) == value }
    func node(_ place: Int) -> Int { index.versions.node(place) }
    let marked = places.first {
      let reference = index.nodes[node($0)].reference
      return mark == WalletEntry.Mark(writerID: reference.writerID, counter: reference.counter)
    }
    let earliest = places.min { times[node($0)] < times[node($1)] }
    guard let place = marked ?? earliest else { return nil }
    let writer = index.nodes[node(place)].reference.writerID
    return VersionOrigin(
      writer: writer, label: labels[writer]?.text ?? "", at: times[node(place)],
      isFound: marked == nil && index.isFound(place))
  }
}
