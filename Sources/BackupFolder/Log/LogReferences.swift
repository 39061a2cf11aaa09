internal import CSPP

/// Every operation that is here or is named here, stored once in a few dozen bytes.
struct LogReferences {
  private struct Stored {
    let digest: Digest
    let counter: UInt64
    let writer: Int32
    /// The operation's index among those that are here, or -1.
    var node: Int32
  }

  private var stored: [Stored] = []
  private var numbers = HashIndex()
  private var writers: [WriterID] = []
  private var writerNumbers: [WriterID: Int32] = [:]

  /// The number of operations, whether here or only named.
  var count: Int { stored.count }

  /// The operation with a number.
  subscript(number: Int32) -> Operation.Seen {
    let entry = stored[Int(number)]
    return Operation.Seen(
      writerID: writers[Int(entry.writer)], counter: entry.counter, digest: entry.digest)
  }

  /// The number of the computer, which all of its operations share.
  func writer(_ number: Int32) -> Int32 { stored[Int(number)].writer }

  /// An operation's counter.
  func counter(_ number: Int32) -> UInt64 { stored[Int(number)].counter }

  /// An operation's digest.
  func digest(_ number: Int32) -> Digest { stored[Int(number)].digest }

  /// A computer's number; nil when nothing here names it.
  func writer(_ id: WriterID) -> Int32? { writerNumbers[id] }

  /// The index of an operation among those that are here.
  func node(of digest: Digest) -> Int? {
    let found = numbers.first(digest.words.x) {
      stored[Int($0)].node >= 0 && stored[Int($0)].digest == digest
    }
    return found.map { Int(stored[Int($0)].node) }
  }

  /// Whether a missing operation is named by that digest.
  func isNamed(_ digest: Digest) -> Bool {
    numbers.first(digest.words.x) {
      stored[Int($0)].node < 0 && stored[Int($0)].digest == digest
    } != nil
  }

  /// Whether an operation of that digest is here.
  func isHere(_ number: Int32) -> Bool {
    stored[Int(number)].node >= 0 || node(of: digest(number)) != nil
  }

  /// The number of an operation; assigns one if it has none.
  mutating func number(of reference: Operation.Seen) -> Int32 {
    let writer = writerNumber(of: reference.writerID)
    let known = numbers.first(reference.digest.words.x) {
      let entry = stored[Int($0)]
      return entry.digest == reference.digest && entry.counter == reference.counter
        && entry.writer == writer
    }
    if let known { return known }
    stored.append(
      Stored(digest: reference.digest, counter: reference.counter, writer: writer, node: -1))
    let number = Int32(stored.count - 1)
    let entries = stored
    numbers.insert(number) { entries[Int($0)].digest.words.x }
    return number
  }

  private mutating func writerNumber(of id: WriterID) -> Int32 {
    if let known = writerNumbers[id] { return known }
    writers.append(id)
    writerNumbers[id] = Int32(writers.count - 1)
    return Int32(writers.count - 1)
  }

  mutating func reserve(_ count: Int) {
    stored.reserveCapacity(count)
    numbers.reserve(count)
  }

  /// Records that an operation is here.
  mutating func setNode(_ node: Int, of number: Int32) { stored[Int(number)].node = Int32(node) }
}
