internal import BackupFolder
internal import CSPP

/// Which way in a person means.
enum WaySelector {
  /// The ways in that an ID, its beginning or a label names; several where one
  /// takes another's place, so that a label names both.
  ///
  /// - Parameters:
  ///   - text: what the person typed.
  ///   - ways: those there are.
  /// - Returns: at least one, with a key ID.
  /// - Throws: `no-input` for none, `ambiguous` for several that are independent.
  static func group(_ text: String, _ ways: [WayIn]) throws(UserMessage) -> [WayIn] {
    let named = ways.filter { $0.keyID != nil }
    let byID = named.filter { way in
      text.utf8.count >= 4 && way.keyID?.hex.hasPrefix(text.lowercased()) == true
    }
    let byLabel = named.filter { $0.label == text && !$0.isRemoved }
    let meant = byID.isEmpty ? byLabel : byID
    guard !meant.isEmpty else {
      throw UserMessage(
        .noInput, "no way into the backup is called \"\(PrintableText.clean(text, limit: 60))\"",
        hint: "keybackup key list shows their labels and IDs")
    }
    let isOne = meant.count == 1 || (byID.isEmpty && meant.independent.count == 1)
    guard isOne else {
      throw UserMessage(
        .ambiguous, "several ways into the backup fit",
        hint: "name one by its ID: "
          + meant.map { "\($0.keyID?.hex ?? "") (\(shown($0)))" }.joined(separator: ", "))
    }
    return meant
  }

  /// What to call a way in before a person.
  static func shown(_ way: WayIn) -> String {
    let label = PrintableText.clean(way.label, limit: 40)
    return label.isEmpty
      ? way.keyID.map { String($0.hex.prefix(8)) } ?? "another program's key" : label
  }
}
