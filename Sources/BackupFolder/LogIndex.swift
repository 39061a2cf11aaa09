internal import CSPP

/// What all computers' logs say together: which versions of which record are
/// live (docs/format.md, `seen`).
///
/// Holds names and digests, never a wallet's bytes. Operations come in any
/// order as long as each writer's counters rise.
struct LogIndex {
  /// An operation as `seen` and `previous` name it.
  typealias Reference = Operation.Seen

  /// One operation that was opened.
  struct Node {
    let reference: Reference
    let previous: Digest?
    let seen: [Reference]
    /// A branch is a chain of operations each of which names the one before;
    /// a fork, a gap or a new writer begins another.
    let branch: Int
    /// Whether the chain reaches back to counter 1.
    let isWhole: Bool
    /// Whether a later operation here names this one as `previous`.
    var hasSuccessor = false
  }

  /// Where a branch leaves another: nothing for one that begins at counter 1
  /// or after a gap.
  private struct Branch {
    let parent: Int
    let lastShared: UInt64
  }

  /// One `put` or `remove` of one record.
  struct Version {
    let record: RecordID
    /// Of the entry's bytes; `nil` for a `remove`.
    let value: Digest?
    let node: Int32
    /// Place among the operation's changes.
    let change: Int32
    /// The version of the same record before this one, or -1.
    fileprivate let next: Int32
  }

  private(set) var nodes: [Node] = []
  private(set) var versions: [Version] = []
  private var branches: [Branch] = []
  private var nodeOfDigest: [Digest: Int] = [:]
  private var newest: [RecordID: Int32] = [:]

  /// Whether an operation is here.
  func contains(_ digest: Digest) -> Bool { nodeOfDigest[digest] != nil }

  /// Adds an operation; one that is here already is not added twice.
  ///
  /// - Parameters:
  ///   - reference: its name.
  ///   - previous: the digest it names; counter 1 names none.
  ///   - seen: what it had seen.
  /// - Returns: its place, or `nil` when it was here.
  mutating func append(
    _ reference: Reference, previous: Digest?, seen: [Reference]
  ) -> Int? {
    guard nodeOfDigest[reference.digest] == nil else { return nil }
    var branch = branches.count
    var whole = reference.counter == 1
    if let parent = parent(of: reference, previous) {
      whole = nodes[parent].isWhole
      if nodes[parent].hasSuccessor {
        branches.append(
          Branch(parent: nodes[parent].branch, lastShared: nodes[parent].reference.counter))
      } else {
        branch = nodes[parent].branch
      }
      nodes[parent].hasSuccessor = true
    } else {
      branches.append(Branch(parent: -1, lastShared: 0))
    }
    nodeOfDigest[reference.digest] = nodes.count
    nodes.append(
      Node(
        reference: reference, previous: previous, seen: seen, branch: branch, isWhole: whole))
    return nodes.count - 1
  }

  /// Adds one change of an operation.
  mutating func append(record: RecordID, value: Digest?, node: Int, change: Int) {
    versions.append(
      Version(
        record: record, value: value, node: Int32(node), change: Int32(change),
        next: newest[record] ?? -1))
    newest[record] = Int32(versions.count - 1)
  }

  private func parent(of reference: Reference, _ previous: Digest?) -> Int? {
    guard reference.counter > 1, let previous, let parent = nodeOfDigest[previous] else {
      return nil
    }
    let before = nodes[parent].reference
    return before.writerID == reference.writerID && before.counter == reference.counter - 1
      ? parent : nil
  }

  /// Whether what `node` says it has seen reaches `other`.
  func covers(_ node: Int32, _ other: Int32) -> Bool {
    let target = nodes[Int(other)]
    for seen in nodes[Int(node)].seen where seen.writerID == target.reference.writerID {
      guard let tip = nodeOfDigest[seen.digest] else { continue }
      var branch = nodes[tip].branch
      var last = nodes[tip].reference.counter
      while branch >= 0 {
        if branch == target.branch {
          if target.reference.counter <= last { return true }
          break
        }
        last = min(last, branches[branch].lastShared)
        branch = branches[branch].parent
      }
    }
    return false
  }

  /// Every record that any operation speaks of.
  var records: Dictionary<RecordID, Int32>.Keys { newest.keys }

  /// The places in ``versions`` of all of a record's versions, newest first.
  func history(of record: RecordID) -> [Int] {
    var places: [Int] = []
    var next = newest[record] ?? -1
    while next >= 0 {
      places.append(Int(next))
      next = versions[Int(next)].next
    }
    return places
  }

  /// The places of a record's live `put`s, equal bytes once, newest first.
  ///
  /// Several are a conflict; none means removed or never there.
  func live(_ record: RecordID) -> [Int] {
    let all = history(of: record)
    if all.count == 1 { return versions[all[0]].value == nil ? [] : all }
    var values: Set<Digest> = []
    return all.filter { place in
      let version = versions[place]
      guard let value = version.value else { return false }
      let superseded = all.contains {
        versions[$0].node != version.node && covers(versions[$0].node, version.node)
      }
      return !superseded && values.insert(value).inserted
    }
  }

  /// Whether a record has several live `put`s with different bytes.
  func isConflicted(_ record: RecordID) -> Bool {
    // Nearly every record has one version.
    guard let first = newest[record], versions[Int(first)].next >= 0 else { return false }
    return live(record).count > 1
  }

  /// Records that one computer removed while another changed them.
  ///
  /// The removal did not know the change, which therefore stays.
  func keptAgainstRemoval() -> [RecordID] {
    var removed: [RecordID: [Int32]] = [:]
    for version in versions where version.value == nil {
      removed[version.record, default: []].append(version.node)
    }
    return removed.filter { (record, removals) in
      if live(record).isEmpty { return false }
      let all = history(of: record).map { versions[$0].node }
      return removals.contains { removal in
        !all.contains { $0 != removal && covers($0, removal) }
      }
    }.keys.sorted()
  }

  /// How a wallet's bytes stand to the log.
  enum Standing: Equatable {
    /// A live `put` has these bytes, at this place.
    case live(Int)
    /// Only superseded `put`s have them.
    case superseded
    /// No `put` here has them.
    case unknown
  }

  /// Compares the bytes of a view file with the log.
  func standing(of value: Digest, record: RecordID) -> Standing {
    guard let first = newest[record] else { return .unknown }
    // Nearly every record has one version.
    let version = versions[Int(first)]
    if version.next < 0 { return version.value == value ? .live(Int(first)) : .unknown }
    if let place = live(record).first(where: { versions[$0].value == value }) {
      return .live(place)
    }
    return history(of: record).contains { versions[$0].value == value } ? .superseded : .unknown
  }

  /// What an operation written now may say it has seen: the end of every
  /// unbroken chain from counter 1, every branch of a fork.
  func tips() -> [Reference] {
    nodes.filter { $0.isWhole && !$0.hasSuccessor }.map(\.reference).sorted {
      ($0.writerID, $0.counter, $0.digest) < ($1.writerID, $1.counter, $1.digest)
    }
  }

  /// The operation of `writer` with the highest counter.
  func last(of writer: WriterID) -> Reference? {
    nodes.lazy.map(\.reference).filter { $0.writerID == writer }
      .max { ($0.counter, $0.digest) < ($1.counter, $1.digest) }
  }
}
