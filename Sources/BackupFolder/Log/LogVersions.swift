internal import CSPP

/// Every opened `put` and `remove`, and each record's newest version.
///
/// The array is half as large as one of ``LogIndex/Version``.
struct LogVersions: RandomAccessCollection {
  private struct Stored {
    let value: Digest
    let record: Int32
    let node: Int32
    /// The index among the operation's changes; its complement for a `remove`.
    let change: Int32
    let next: Int32
    let isOriginal: Bool
  }

  private var stored: [Stored] = []
  /// The records that any operation changes.
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

  /// The previous version of the same record, or -1.
  func next(_ place: Int) -> Int { Int(stored[place].next) }
  /// See ``LogIndex/Version/value``.
  func value(_ place: Int) -> Digest? { stored[place].change < 0 ? nil : stored[place].value }
  /// See ``LogIndex/Version/node``.
  func node(_ place: Int) -> Int { Int(stored[place].node) }

  /// Whether a `put`'s operation sealed the entry: the entry's mark names it.
  func isOriginal(_ place: Int) -> Bool { stored[place].isOriginal }

  /// The number of a record; nil when no operation changes it.
  func number(of record: RecordID) -> Int? { numbers.number(of: record) }

  /// The number of the record that a version belongs to.
  func record(_ place: Int) -> Int { Int(stored[place].record) }

  /// The newest version of a record.
  func newest(_ number: Int) -> Int { Int(newest[number]) }

  mutating func reserve(_ count: Int) {
    stored.reserveCapacity(count)
    newest.reserveCapacity(count)
    numbers.reserve(count)
  }

  /// Adds a version.
  mutating func append(
    record: RecordID, value: Digest?, node: Int, change: Int, isOriginal: Bool
  ) {
    let number = numbers.add(record)
    if number == newest.count { newest.append(-1) }
    stored.append(
      Stored(
        value: value ?? Digest(words: .zero), record: Int32(number), node: Int32(node),
        change: value == nil ? ~Int32(change) : Int32(change), next: newest[number],
        isOriginal: isOriginal))
    newest[number] = Int32(stored.count - 1)
  }
}
