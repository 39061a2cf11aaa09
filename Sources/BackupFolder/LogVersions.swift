internal import CSPP

/// Every `put` and `remove` that was opened: an array that is half as large as
/// one of ``LogIndex/Version``, and each record's newest.
struct LogVersions: RandomAccessCollection {
  private struct Stored {
    let value: Digest
    let record: Int32
    let node: Int32
    /// Place among the operation's changes; the complement for a `remove`.
    let change: Int32
    let next: Int32
  }

  private var stored: [Stored] = []
  /// The records that any operation speaks of.
  private(set) var numbers = RecordNumbers()
  private var newest: [Int32] = []

  let startIndex = 0
  var endIndex: Int { stored.count }

  subscript(place: Int) -> LogIndex.Version {
    let version = stored[place]
    return LogIndex.Version(
      record: numbers.records[Int(version.record)], value: value(place), node: version.node,
      change: version.change < 0 ? ~version.change : version.change, next: version.next)
  }

  /// The version of the same record before this one, or -1.
  func next(_ place: Int) -> Int { Int(stored[place].next) }
  /// See ``LogIndex/Version/value``.
  func value(_ place: Int) -> Digest? { stored[place].change < 0 ? nil : stored[place].value }
  /// See ``LogIndex/Version/node``.
  func node(_ place: Int) -> Int { Int(stored[place].node) }

  /// A record's number; nil when no operation speaks of it.
  func number(of record: RecordID) -> Int? { numbers.number(of: record) }

  /// The number of the record that a version is of.
  func record(_ place: Int) -> Int { Int(stored[place].record) }

  /// A record's newest version.
  func newest(_ number: Int) -> Int { Int(newest[number]) }

  /// Adds a version.
  mutating func append(record: RecordID, value: Digest?, node: Int, change: Int) {
    let number = numbers.add(record)
    if number == newest.count { newest.append(-1) }
    stored.append(
      Stored(
        value: value ?? Digest(words: .zero), record: Int32(number), node: Int32(node),
        change: value == nil ? ~Int32(change) : Int32(change), next: newest[number]))
    newest[number] = Int32(stored.count - 1)
  }
}
