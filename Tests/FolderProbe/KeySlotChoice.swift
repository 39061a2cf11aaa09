import BackupFolder
import CSPP

/// Chooses the key slot with which a verb opens the backup.
struct KeySlotChoice {
  private let verb: String
  private let words: [String]

  init(_ verb: String, _ words: [String]) {
    self.verb = verb
    self.words = words
  }

  func opener(among slots: [KeySlot]) -> KeySlot? {
    func slot(_ id: String) -> KeySlot? { slots.first { $0.keyID?.hex == id } }
    switch verb {
    case "key-add", "finish": return slot(words[0]) ?? slots.first
    case "key-remove":
      let first = Self.first(slots)?.hex
      let gone = words[0] == "first" ? first : words[0]
      return slots.first { $0.keyID?.hex != gone } ?? slots.first
    case "rotate": return slot(words[1]) ?? slots.first
    default: return slots.first
    }
  }

  /// The slot that init made: the oldest whose ID is not one of the tests' own.
  static func first(_ slots: [KeySlot]) -> KeyID? {
    slots.compactMap(\.keyID).first { !Self.isTests($0) }
  }

  /// Whether a test chose this ID: such IDs repeat one digit.
  private static func isTests(_ key: KeyID) -> Bool { Set(key.hex).count == 1 }
}
