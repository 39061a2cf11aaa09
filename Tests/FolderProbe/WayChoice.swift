import BackupFolder
import CSPP

/// Which way in a verb opens the backup with.
struct WayChoice {
  private let verb: String
  private let words: [String]

  init(_ verb: String, _ words: [String]) {
    self.verb = verb
    self.words = words
  }

  func opener(among ways: [WayIn]) -> WayIn? {
    func way(_ id: String) -> WayIn? { ways.first { $0.keyID?.hex == id } }
    switch verb {
    case "key-add", "finish": return way(words[0]) ?? ways.first
    case "key-remove":
      let first = Self.first(ways)?.hex
      let gone = words[0] == "first" ? first : words[0]
      return ways.first { $0.keyID?.hex != gone } ?? ways.first
    case "rotate": return way(words[1]) ?? ways.first
    default: return ways.first
    }
  }

  /// The one that init made: the oldest that is none of the tests' own.
  static func first(_ ways: [WayIn]) -> KeyID? {
    ways.compactMap(\.keyID).first { !Self.isTests($0) }
  }

  /// Tests' own IDs repeat one digit.
  private static func isTests(_ key: KeyID) -> Bool { Set(key.hex).count == 1 }
}
