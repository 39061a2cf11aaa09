package import CSPP

/// IDs as people see and type them: as many digits as tell them apart, and any beginning that
/// only one of them has.
package enum ShortID {
  /// Digits that are shown at least.
  package static let leastShown = 8
  /// Digits that have to be typed at least.
  package static let leastTyped = 4
  /// IDs up to this length are shown as they are.
  private static let shortest = 12

  /// How each of some IDs is shown, in their order.
  package static func shown(_ ids: [String]) -> [String] {
    let sorted = Set(ids).sorted()
    var lengths: [String: Int] = [:]
    for (place, id) in sorted.enumerated() {
      var shared = 0
      if place > 0 { shared = commonCount(id, sorted[place - 1]) }
      if place + 1 < sorted.count { shared = max(shared, commonCount(id, sorted[place + 1])) }
      lengths[id] = max(leastShown, shared + 1)
    }
    return ids.map { $0.count <= shortest ? $0 : String($0.prefix(lengths[$0] ?? $0.count)) }
  }

  /// How one ID is shown among others.
  package static func shown(_ id: String, among ids: [String]) -> String { shown([id] + ids)[0] }

  /// Whether what a person typed is the beginning of an ID.
  package static func matches(_ typed: String, _ id: String) -> Bool {
    typed.count >= leastTyped && id.hasPrefix(typed)
  }

  /// The advice where a text is too short for the beginning of an ID; else nothing.
  ///
  /// Wallets' and computers' names are encrypted. A short text may be such a name, so it cannot be
  /// refused before the backup is open.
  package static func shortHint(_ typed: String) -> String {
    typed.count < leastTyped ? "the start of an ID has at least \(leastTyped) characters\n" : ""
  }

  private static func commonCount(_ one: String, _ other: String) -> Int {
    zip(one, other).prefix { $0 == $1 }.count
  }
}

extension WriterID {
  /// Enough of it to tell computers apart.
  package var shortName: String { String(hex.prefix(8)) }
}
