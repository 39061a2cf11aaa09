package import BackupFolder
package import CSPP
package import CommandKit
package import SecretMemory
internal import WalletFormats

/// Entries made from another program's file, of which some may be in the backup
/// already.
package struct NewEntries: ~Copyable {
  private struct Item {
    let record: RecordID
    let range: Range<Int>
    /// Names what makes the wallet the same one.
    let content: Digest
    /// Names what it can be spent with; nil: nothing.
    let secret: Digest?
  }

  private var text = SecretWriter()
  private var items: [Item] = []

  /// Number of entries.
  package var count: Int { items.count }
  /// The entries' records.
  package var records: [RecordID] { items.map(\.record) }

  package init() {}

  /// Adds an entry.
  ///
  /// - Parameters:
  ///   - entry: its bytes.
  ///   - record: of its wallet.
  ///   - content: what ``add(to:byRecord:replacing:content:)`` compares.
  package mutating func append(_ entry: borrowing SecretBytes, _ record: RecordID, content: Digest)
  {
    let start = text.count
    entry.withBytes { text.raw($0) }
    items.append(
      Item(
        record: record, range: start..<text.count, content: content,
        secret: (try? WalletEntry(parsing: entry))?.spendingSecret(in: entry)))
  }

  /// Whether the entry at a place holds something that can be spent with.
  func holdsSecret(_ place: Int) -> Bool { items[place].secret != nil }

  /// The result for the entries.
  package struct Outcome {
    /// Records of those that were added.
    package var added: [RecordID] = []
    /// Records of the backup's wallets that have the content of the others.
    package var unchanged: Set<RecordID> = []
    /// Places of those that were not, because the backup holds a secret of that
    /// wallet that would be replaced.
    package var refused: [Int] = []
    /// Places of those that were added in the place of another secret.
    package var replaced: [Int] = []
  }

  /// Adds those to a backup that are not in it with the same content.
  ///
  /// - Parameters:
  ///   - opened: the backup.
  ///   - byRecord: whether the same content counts only in the same record.
  ///   - replacing: whether an entry may take the place of one of its record that
  ///     holds a secret which the new one does not.
  ///   - content: the content of a wallet of the backup; nil for none to compare.
  /// - Returns: what became of them.
  /// - Throws: what adding throws.
  package func add(
    to opened: inout OpenNamespace, byRecord: Bool, replacing: Bool = false,
    content: (WalletVersion, borrowing SecretBytes) -> Digest?
  ) throws(UserMessage) -> Outcome {
    try opened.deciding(UserMessage.init) { (opened) throws(UserMessage) in
      try addNew(to: &opened, byRecord: byRecord, replacing: replacing, content: content)
    }
  }

  private func addNew(
    to opened: inout OpenNamespace, byRecord: Bool, replacing: Bool,
    content: (WalletVersion, borrowing SecretBytes) -> Digest?
  ) throws(UserMessage) -> Outcome {
    var wanted: [Digest: Int] = [:]
    var places: [RecordID: Int] = [:]
    for (index, item) in items.enumerated() {
      wanted[item.content] = index
      places[item.record] = index
    }
    var outcome = Outcome()
    var known: Set<Int> = []
    var endangering: Set<Int> = []
    _ = opened.forEachWallet { version, entry in
      let place = places[version.recordID]
      if byRecord, place == nil { return }
      if let found = content(version, entry), let index = wanted[found],
        !byRecord || index == place
      {
        if known.insert(index).inserted { outcome.unchanged.insert(version.recordID) }
      } else if let place, let held = version.entry.spendingSecret(in: entry),
        held != items[place].secret
      {
        endangering.insert(place)
      }
    }
    try Interruption.check()
    var batch = WalletBatch()
    do throws(BackupFolderError) {
      for (index, item) in items.enumerated() where !known.contains(index) {
        if endangering.contains(index) {
          guard replacing else {
            outcome.refused.append(index)
            continue
          }
          outcome.replaced.append(index)
        }
        try text.withBytes { text throws(BackupFolderError) in
          _ = try batch.append(text.extracting(item.range))
        }
        outcome.added.append(item.record)
      }
      try opened.add(batch)
    } catch {
      throw UserMessage(error)
    }
    return outcome
  }
}
