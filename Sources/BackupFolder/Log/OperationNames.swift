internal import CSPP

/// A set of operation names, stored as a sorted array.
///
/// It needs a third of a hash set's memory, and two of them are joined in one pass.
struct OperationNames: Equatable, RandomAccessCollection, ExpressibleByArrayLiteral {
  private var sorted: ContiguousArray<OperationName>

  init(arrayLiteral names: OperationName...) { self.init(names) }

  /// Creates the set from names in any order; duplicates are dropped.
  init(_ names: some Sequence<OperationName>) {
    sorted = ContiguousArray(names)
    var isSorted = true
    for place in sorted.indices.dropFirst() where !(sorted[place - 1] < sorted[place]) {
      isSorted = false
      break
    }
    if isSorted { return }
    sorted.sort()
    var kept = 0
    for place in sorted.indices where place == 0 || sorted[place] != sorted[kept - 1] {
      sorted[kept] = sorted[place]
      kept += 1
    }
    sorted.removeSubrange(kept...)
  }

  var startIndex: Int { sorted.startIndex }
  var endIndex: Int { sorted.endIndex }
  subscript(place: Int) -> OperationName { sorted[place] }

  /// The first index whose name does not precede `name`.
  private func place(of name: OperationName) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < name { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func contains(_ name: OperationName) -> Bool {
    let place = place(of: name)
    return place < sorted.count && sorted[place] == name
  }

  /// Whether an operation of that writer and counter is here.
  func contains(_ writer: WriterID, _ counter: UInt64) -> Bool {
    let first = OperationName(
      writer: writer, counter: counter, digest: Digest(words: .zero))
    let place = place(of: first)
    return place < sorted.count && sorted[place].writer == writer
      && sorted[place].counter == counter
  }

  /// The operations of that writer and counter.
  func all(of writer: WriterID, _ counter: UInt64) -> [OperationName] {
    let first = place(
      of: OperationName(writer: writer, counter: counter, digest: SIMD2.zero))
    var end = first
    while end < sorted.count, sorted[end].writer == writer, sorted[end].counter == counter {
      end += 1
    }
    return Array(sorted[first..<end])
  }

  /// The names whose writer has no operation of the counter before theirs, except first ones.
  var withoutPredecessor: OperationNames {
    OperationNames(filter { $0.counter > 1 && !contains($0.writer, $0.counter - 1) })
  }

  /// Adds a name; fast for one that comes last.
  mutating func insert(_ name: OperationName) {
    let place = place(of: name)
    if place < sorted.count, sorted[place] == name { return }
    sorted.insert(name, at: place)
  }

  /// Removes a name.
  mutating func remove(_ name: OperationName) {
    let place = place(of: name)
    if place < sorted.count, sorted[place] == name { sorted.remove(at: place) }
  }

  /// Whether all of another set's names are here; checked in one pass through both.
  func isSuperset(of other: OperationNames) -> Bool {
    var place = 0
    for name in other {
      while place < sorted.count, sorted[place] < name { place += 1 }
      guard place < sorted.count, sorted[place] == name else { return false }
    }
    return true
  }

  /// Adds another set.
  mutating func formUnion(_ other: OperationNames) {
    if isSuperset(of: other) { return }
    if other.isSuperset(of: self) {
      self = other
    } else {
      self = OperationNames(sorted + other.sorted)
    }
  }

  func isSuperset(of names: some Sequence<OperationName>) -> Bool {
    names.allSatisfy { contains($0) }
  }

  mutating func formUnion(_ names: some Sequence<OperationName>) {
    let new = names.filter { !contains($0) }
    if !new.isEmpty { self = OperationNames(sorted + new) }
  }

  func union(_ names: some Sequence<OperationName>) -> OperationNames {
    var all = self
    all.formUnion(names)
    return all
  }

  func subtracting(_ names: OperationNames) -> OperationNames {
    OperationNames(sorted.lazy.filter { !names.contains($0) })
  }
}
