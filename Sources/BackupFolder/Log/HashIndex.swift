/// Finds the elements of an array by a hash of their contents, at a few bytes per element.
///
/// It uses open addressing; the array itself belongs to the caller. The hash is multiplied by a
/// random factor of this process, so that crafted digests do not collide.
struct HashIndex {
  private var slots: [Int32] = []
  private var count = 0

  private static let factor = UInt64.random(in: .min ... .max) | 1

  /// Reserves space; must precede the first insertion.
  mutating func reserve(_ elements: Int) {
    if count > 0 || elements == 0 { return }
    var size = 16
    while size < elements * 4 / 3 + 2 { size *= 2 }
    slots = [Int32](repeating: -1, count: size)
  }

  private func start(_ hash: UInt64) -> Int {
    let spread = (hash ^ hash &>> 32) &* Self.factor
    return Int(truncatingIfNeeded: spread &>> 20) & (slots.count - 1)
  }

  /// The first element with that hash for which `matches` holds.
  func first(_ hash: UInt64, where matches: (Int32) -> Bool) -> Int32? {
    if slots.isEmpty { return nil }
    var place = start(hash)
    while slots[place] >= 0 {
      if matches(slots[place]) { return slots[place] }
      place = (place + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Adds an element.
  ///
  /// - Parameters:
  ///   - element: its index in the caller's array.
  ///   - hash: returns the hash of an element: of this one, and of all others when the index grows.
  mutating func insert(_ element: Int32, hash: (Int32) -> UInt64) {
    if slots.count < (count + 1) * 4 / 3 + 1 {
      let old = slots
      slots = [Int32](repeating: -1, count: max(16, old.count * 2))
      for element in old where element >= 0 { put(element, hash(element)) }
    }
    put(element, hash(element))
    count += 1
  }

  private mutating func put(_ element: Int32, _ hash: UInt64) {
    var place = start(hash)
    while slots[place] >= 0 { place = (place + 1) & (slots.count - 1) }
    slots[place] = element
  }
}
