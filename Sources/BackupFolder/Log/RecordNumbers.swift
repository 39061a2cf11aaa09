internal import CSPP

/// Numbers records from 0 in the order of their first appearance.
struct RecordNumbers {
  private(set) var records: [RecordID] = []
  private var index = HashIndex()

  var count: Int { records.count }

  mutating func reserve(_ count: Int) {
    records.reserveCapacity(count)
    index.reserve(count)
  }

  /// The number of a record; nil when it has none.
  func number(of record: RecordID) -> Int? {
    index.first(record.words.x) { records[Int($0)] == record }.map(Int.init)
  }

  /// The number of a record; assigns the next one if it has none.
  mutating func add(_ record: RecordID) -> Int {
    if let known = number(of: record) { return known }
    records.append(record)
    let all = records
    index.insert(Int32(all.count - 1)) { all[Int($0)].words.x }
    return all.count - 1
  }
}
