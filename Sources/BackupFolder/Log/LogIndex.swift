internal import CSPP

/// The combined logs of all computers: which versions of which record are live (docs/format.md,
/// `seen`).
///
/// It holds names and digests, never a wallet's bytes. Operations may be added in any order as long
/// as each writer's counters rise.
struct LogIndex {
  /// The name of an operation in `seen` and `previous`.
  typealias Reference = Operation.Seen

  /// An operation that was opened.
  struct Node {
    let reference: Reference
    let previous: Digest?
    let seen: [Reference]
    /// The number of its branch: a chain of operations, each of which names the one before.
    ///
    /// A fork, a gap or a new writer begins another branch.
    let branch: Int
    /// Whether the chain reaches back to counter 1.
    let isWhole: Bool
    /// Whether a later operation here names this one as `previous`.
    var hasSuccessor = false
  }

  /// The point where a branch leaves another; a branch that begins at counter 1 or after a gap has
  /// none.
  private struct Branch {
    let parent: Int
    let lastShared: UInt64
  }

  /// One `put` or `remove` of one record.
  struct Version {
    let record: RecordID
    /// The digest of the entry's bytes; `nil` for a `remove`.
    let value: Digest?
    let node: Int32
    /// The index among the operation's changes.
    let change: Int32
    /// The previous version of the same record, or -1.
    let next: Int32
  }

  private(set) var nodes = LogNodes()
  private(set) var versions = LogVersions()
  private var branches: [Branch] = []
  /// The alternative names of operations, from files that spell them in another way.
  private(set) var copies: [Digest: Digest] = [:]
  /// For each operation, whether it must cover nothing; empty if all may cover.
  private var isBeyond: [Bool] = []
  /// Whether no operation was added after one with a higher counter.
  private(set) var isInOrder = true

  /// Reserves space for a number of operations with one wallet each.
  mutating func reserve(_ count: Int) {
    nodes.reserve(count)
    versions.reserve(count)
  }

  /// Records the alternative name that a file gives an operation.
  mutating func include(_ file: OperationFile) {
    if file.isRespelled, copies.count < Self.mostCopies { copies[file.spelling] = file.digest }
  }

  private static let mostCopies = 1 << 16

  /// Whether some operation names another by a copy that is spelled in another way, so that
  /// ``inOrder()`` must merge them.
  var namesCopies: Bool {
    copies.contains { nodes.references.isNamed($0.key) && nodes.place(of: $0.value) != nil }
  }

  /// The same reference with the digest that counts.
  private func named(_ reference: Reference) -> Reference {
    guard let digest = copies[reference.digest] else { return reference }
    return Reference(
      writerID: reference.writerID, counter: reference.counter, digest: digest)
  }

  /// Whether an operation is here.
  func contains(_ digest: Digest) -> Bool { nodes.place(of: digest) != nil }

  /// Adds an operation, unless it is here already.
  ///
  /// - Parameters:
  ///   - reference: its name.
  ///   - previous: the digest of the operation before; counter 1 has none.
  ///   - seen: the operations it had seen.
  /// - Returns: its index, or `nil` when it was here.
  mutating func append(
    _ reference: Reference, previous: Digest?, seen: [Reference]
  ) -> Int? {
    guard !contains(reference.digest) else { return nil }
    var branch = branches.count
    var whole = reference.counter == 1
    if let parent = parent(of: reference, previous) {
      whole = nodes.isWhole(parent)
      if nodes.hasSuccessor(parent) {
        branches.append(Branch(parent: nodes.branch(parent), lastShared: nodes.counter(parent)))
      } else {
        branch = nodes.branch(parent)
      }
      nodes.setSuccessor(parent)
    } else {
      branches.append(Branch(parent: -1, lastShared: 0))
    }
    if let last = nodes.indices.last, nodes.counter(last) > reference.counter { isInOrder = false }
    nodes.append(reference, previous: previous, seen: seen, branch: branch, isWhole: whole)
    return nodes.count - 1
  }

  /// Adds one change of an operation.
  ///
  /// - Parameters:
  ///   - record: the record it changes.
  ///   - value: the digest of the entry's bytes; nil for a `remove`.
  ///   - node: the operation's index.
  ///   - change: the index of the change in the operation.
  ///   - isOriginal: whether the entry's mark names the operation.
  mutating func append(
    record: RecordID, value: Digest?, node: Int, change: Int, isOriginal: Bool = false
  ) {
    versions.append(
      record: record, value: value, node: node, change: change, isOriginal: isOriginal)
  }

  private func parent(of reference: Reference, _ previous: Digest?) -> Int? {
    guard reference.counter > 1, let previous, let parent = nodes.place(of: previous) else {
      return nil
    }
    let before = nodes.references[nodes.reference(parent)]
    return before.writerID == reference.writerID && before.counter == reference.counter - 1
      ? parent : nil
  }

  /// Lets only the operations up to these ends cover others; nil lets all.
  mutating func limitCovering(to ends: [Reference]?) {
    guard let ends else {
      isBeyond = []
      return
    }
    isBeyond = [Bool](repeating: true, count: nodes.count)
    for end in ends {
      var next = nodes.place(of: end.digest)
      while let place = next, isBeyond[place] {
        isBeyond[place] = false
        let previous = nodes.previous(place)
        next = previous < 0 ? nil : nodes.place(of: nodes.references.digest(previous))
      }
    }
  }

  /// Whether the `seen` of `node` reaches `other`.
  func covers(_ node: Int, _ other: Int) -> Bool {
    // Operations added since are beyond the ends too.
    if !isBeyond.isEmpty, node >= isBeyond.count || isBeyond[node] { return false }
    let references = nodes.references
    let target = nodes.reference(other)
    let (writer, counter) = (references.writer(target), references.counter(target))
    for seen in nodes.seen(node) where references.writer(seen) == writer {
      guard let tip = nodes.place(of: references.digest(seen)) else { continue }
      if reaches(tip, nodes.branch(other), counter) { return true }
    }
    return false
  }

  /// Whether the `seen` of an operation reaches another; both are here.
  func covers(_ one: Digest, _ other: Digest) -> Bool {
    guard let node = nodes.place(of: one), let target = nodes.place(of: other) else { return false }
    return covers(node, target)
  }

  /// Whether an operation must cover nothing, because a master key that was given up made it.
  func isBeyond(_ name: Digest) -> Bool {
    guard !isBeyond.isEmpty, let node = nodes.place(of: name) else { return false }
    return node >= isBeyond.count || isBeyond[node]
  }

  /// Whether `tip`'s chain, going back over `previous`, has an operation.
  func reaches(_ tip: Int, _ other: Int) -> Bool {
    reaches(tip, nodes.branch(other), nodes.counter(other))
  }

  private func reaches(_ tip: Int, _ target: Int, _ counter: UInt64) -> Bool {
    var branch = nodes.branch(tip)
    var last = nodes.counter(tip)
    while branch >= 0 {
      if branch == target { return counter <= last }
      last = min(last, branches[branch].lastShared)
      branch = branches[branch].parent
    }
    return false
  }

  /// The operation here that the one at a place follows in its chain.
  func parent(of place: Int) -> Int? {
    let previous = nodes.previous(place)
    if previous < 0 { return nil }
    return parent(of: nodes[place].reference, nodes.references.digest(previous))
  }

  /// Every record that any operation changes.
  var records: [RecordID] { versions.numbers.records }

  /// The indices in ``versions`` of all of a record's versions, newest first.
  func history(of record: RecordID) -> [Int] {
    guard let number = versions.number(of: record) else { return [] }
    return history(versions.newest(number))
  }

  private func history(_ newest: Int) -> [Int] {
    var places: [Int] = []
    var next = newest
    while next >= 0 {
      places.append(next)
      next = versions.next(next)
    }
    return places
  }

  /// The indices of a record's live `put`s, newest first; equal bytes count once.
  ///
  /// Several are a conflict. None means that the record was removed or never existed.
  func live(_ record: RecordID) -> [Int] {
    versions.number(of: record).map { live(number: $0) } ?? []
  }

  /// The live `put`s of the record with this index in ``records``.
  func live(number: Int) -> [Int] {
    let all = history(versions.newest(number))
    if all.count == 1 { return versions.value(all[0]) == nil ? [] : all }
    let superseded = superseded(among: all)
    var values: Set<Digest> = []
    return all.filter { place in
      guard let value = versions.value(place), !superseded.contains(place) else { return false }
      return values.insert(value).inserted
    }
  }

  /// The versions of a record that another one covers, or that another one stands for.
  private func superseded(among all: [Int]) -> Set<Int> {
    var superseded = Set(
      all.filter { place in
        let node = versions.node(place)
        return all.contains { versions.node($0) != node && covers(versions.node($0), node) }
      })
    // A finding that was logged stands for the operation that had not arrived at that time.
    let found = superseded.filter { isFinding($0) }.compactMap { versions.value($0) }
    if !found.isEmpty {
      let values = Set(found)
      superseded.formUnion(
        all.filter { isFinding($0) && versions.value($0).map(values.contains) == true })
    }
    return superseded
  }

  /// Whether a `put` says only that some computer had these bytes.
  ///
  /// This is the `put` that sealed them, or one that logged them with an empty `seen`. A `put` that
  /// decided for them says more.
  private func isFinding(_ place: Int) -> Bool {
    versions.value(place) != nil
      && (versions.isOriginal(place) || nodes.seen(versions.node(place)).isEmpty)
  }

  /// A record's live `put`s that no new operation covers, because their chain has a gap here.
  ///
  /// - Parameter record: the record.
  /// - Returns: the `put`s that are covered once they are logged as found, and whether there are
  ///   others.
  func unreachable(_ record: RecordID) -> (findings: [Int], hasOthers: Bool) {
    let all = history(of: record)
    if all.allSatisfy({ nodes.isWhole(versions.node($0)) }) { return ([], false) }
    let superseded = superseded(among: all)
    let unreachable = all.filter {
      versions.value($0) != nil && !superseded.contains($0) && !nodes.isWhole(versions.node($0))
    }
    let findings = unreachable.filter { isFinding($0) }
    return (findings, findings.count < unreachable.count)
  }

  /// Whether all of a chain up to an operation is here.
  func isWhole(_ operation: Digest) -> Bool {
    nodes.place(of: operation).map { nodes.isWhole($0) } ?? false
  }

  /// Whether a `put` says that some computer came upon these bytes, which another one sealed.
  func isFound(_ place: Int) -> Bool {
    versions.value(place) != nil && !versions.isOriginal(place)
      && nodes.seen(versions.node(place)).isEmpty
  }

  /// Whether a record has several live `put`s with different bytes.
  func isConflicted(_ record: RecordID) -> Bool {
    // Nearly every record has only one version.
    guard let number = versions.number(of: record), versions.next(versions.newest(number)) >= 0
    else { return false }
    return live(number: number).count > 1
  }

  /// The records that one computer removed while another changed them.
  ///
  /// The removal did not know the change, so the record stays.
  func keptAgainstRemoval() -> [RecordID] {
    var removed: [RecordID: [Int]] = [:]
    for place in versions.indices where versions.value(place) == nil {
      removed[versions[place].record, default: []].append(versions.node(place))
    }
    return removed.filter { (record, removals) in
      if live(record).isEmpty { return false }
      let all = history(of: record).map { versions.node($0) }
      return removals.contains { removal in
        !all.contains { $0 != removal && covers($0, removal) }
      }
    }.keys.sorted()
  }

  /// The relation of a wallet's bytes to the log.
  enum Standing: Equatable {
    /// A live `put`, at this index, has these bytes.
    case live(Int)
    /// Only superseded `put`s have these bytes.
    case superseded
    /// No `put` here has these bytes.
    case unknown
  }

  /// Compares the bytes of a view file with the log.
  func standing(of value: Digest, record: RecordID) -> Standing {
    guard let number = versions.number(of: record) else { return .unknown }
    // Nearly every record has only one version.
    let newest = versions.newest(number)
    if versions.next(newest) < 0 {
      return versions.value(newest) == value ? .live(newest) : .unknown
    }
    if let place = live(number: number).first(where: { versions.value($0) == value }) {
      return .live(place)
    }
    return history(newest).contains { versions.value($0) == value } ? .superseded : .unknown
  }

  /// Whether an operation of `writer` with this counter is here.
  func contains(_ writer: WriterID, _ counter: UInt64) -> Bool {
    guard let number = nodes.references.writer(writer) else { return false }
    return nodes.indices.contains {
      let reference = nodes.reference($0)
      return nodes.references.writer(reference) == number
        && nodes.references.counter(reference) == counter
    }
  }

  /// The operations that a new one may name in `seen`: the end of every unbroken chain from counter
  /// 1, on every branch of a fork.
  func tips() -> [Reference] {
    let ends = nodes.indices.filter { nodes.isWhole($0) && !nodes.hasSuccessor($0) }
    return ends.map { nodes.references[nodes.reference($0)] }.sorted {
      ($0.writerID, $0.counter, $0.digest) < ($1.writerID, $1.counter, $1.digest)
    }
  }

  /// The operation of `writer` with the highest counter.
  func last(of writer: WriterID) -> Reference? {
    guard let number = nodes.references.writer(writer) else { return nil }
    return nodes.indices.lazy.map { nodes.reference($0) }
      .filter { nodes.references.writer($0) == number }.map { nodes.references[$0] }
      .max { ($0.counter, $0.digest) < ($1.counter, $1.digest) }
  }

  /// The same operations in order of their counters, so that a chain is followed from its start.
  ///
  /// Each is named by the digest that counts.
  ///
  /// - Returns: the new index, and for each of its operations the former index.
  func inOrder() -> (index: LogIndex, places: [Int]) {
    let places = nodes.indices.sorted {
      (nodes.counter($0), $0) < (nodes.counter($1), $1)
    }
    // The versions of one operation are consecutive.
    var first = [Int](repeating: versions.count, count: nodes.count)
    for place in versions.indices.reversed() { first[versions.node(place)] = place }
    var index = LogIndex()
    index.copies = copies
    for place in places {
      let node = nodes[place]
      let previous = node.previous.map { copies[$0] ?? $0 }
      guard
        let new = index.append(node.reference, previous: previous, seen: node.seen.map(named))
      else { continue }
      var next = first[place]
      while next < versions.count, versions.node(next) == place {
        let version = versions[next]
        index.append(
          record: version.record, value: version.value, node: new, change: Int(version.change),
          isOriginal: versions.isOriginal(next))
        next += 1
      }
    }
    return (index, places)
  }
}
