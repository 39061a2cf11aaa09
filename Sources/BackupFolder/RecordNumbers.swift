internal import CSPP

/// Numbers records from 0, in the order they were met.
struct RecordNumbers {
  private(set) var records: [RecordID] = []
  private var index = HashIndex()

  var count: Int { records.count }

  /// A record's number; nil when it has none.
  func number(of record: RecordID) -> Int? {
    index.first(record.words.x) { records[Int($0)] == record }.map(Int.init)
  }

  /// A record's number; it gets the next one if it has none.
  mutating func add(_ record: RecordID) -> Int {
    if let known = number(of: record) { return known }
    records.append(record)
    let all = records
    index.insert(Int32(all.count - 1)) { all[Int($0)].words.x }
    return all.count - 1
  }
}
