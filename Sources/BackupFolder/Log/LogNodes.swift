internal import CSPP

/// The opened operations, in an array a quarter as large as one of ``LogIndex/Node``.
struct LogNodes: RandomAccessCollection {
  private struct Stored {
    let reference: Int32
    /// The operation before it, or -1.
    let previous: Int32
    let branch: Int32
    let firstSeen: Int32
    let seenCount: Int32
    let isWhole: Bool
    var hasSuccessor = false
  }

  /// The operations, including those that are only named.
  private(set) var references = LogReferences()
  private var stored: [Stored] = []
  /// The operations that each had seen, one list after the other.
  private var seen: [Int32] = []

  let startIndex = 0
  var endIndex: Int { stored.count }

  subscript(place: Int) -> LogIndex.Node {
    let node = stored[place]
    return LogIndex.Node(
      reference: references[node.reference],
      previous: node.previous < 0 ? nil : references.digest(node.previous),
      seen: self.seen(place).map { references[$0] }, branch: Int(node.branch),
      isWhole: node.isWhole, hasSuccessor: node.hasSuccessor)
  }

  /// An operation's number in ``references``.
  func reference(_ place: Int) -> Int32 { stored[place].reference }
  /// The number of the operation before it, or -1.
  func previous(_ place: Int) -> Int32 { stored[place].previous }
  /// The numbers of the operations it had seen.
  func seen(_ place: Int) -> ArraySlice<Int32> {
    let first = Int(stored[place].firstSeen)
    return seen[first..<first + Int(stored[place].seenCount)]
  }
  /// See ``LogIndex/Node/branch``.
  func branch(_ place: Int) -> Int { Int(stored[place].branch) }
  /// See ``LogIndex/Node/isWhole``.
  func isWhole(_ place: Int) -> Bool { stored[place].isWhole }
  /// See ``LogIndex/Node/hasSuccessor``.
  func hasSuccessor(_ place: Int) -> Bool { stored[place].hasSuccessor }
  /// The computer that wrote the operation.
  func writer(_ place: Int) -> WriterID { references[stored[place].reference].writerID }
  /// The operation's counter.
  func counter(_ place: Int) -> UInt64 { references.counter(stored[place].reference) }

  /// The index of an operation.
  func place(of digest: Digest) -> Int? { references.node(of: digest) }

  /// Records that an operation here names this one as `previous`.
  mutating func setSuccessor(_ place: Int) { stored[place].hasSuccessor = true }

  mutating func reserve(_ count: Int) {
    stored.reserveCapacity(count)
    seen.reserveCapacity(2 * count)
    references.reserve(count)
  }

  /// Adds an operation.
  mutating func append(
    _ reference: Operation.Seen, previous: Digest?, seen: [Operation.Seen], branch: Int,
    isWhole: Bool
  ) {
    let number = references.number(of: reference)
    let before = previous.map {
      references.number(
        of: Operation.Seen(
          writerID: reference.writerID, counter: reference.counter &- 1, digest: $0))
    }
    let first = self.seen.count
    for end in seen { self.seen.append(references.number(of: end)) }
    references.setNode(stored.count, of: number)
    stored.append(
      Stored(
        reference: number, previous: before ?? -1, branch: Int32(branch), firstSeen: Int32(first),
        seenCount: Int32(seen.count), isWhole: isWhole))
  }
}
