internal import BackupFolder
internal import CSPP
internal import SecretMemory

/// Entries made from another program's file, of which some may be in the backup
/// already.
struct NewEntries: ~Copyable {
  private struct Item {
    let record: RecordID
    let range: Range<Int>
    /// Names what makes the wallet the same one.
    let content: Digest
  }

  private var text = SecretWriter()
  private var items: [Item] = []

  /// Number of entries.
  var count: Int { items.count }
  /// The entries' records.
  var records: [RecordID] { items.map(\.record) }

  /// Adds an entry.
  ///
  /// - Parameters:
  ///   - entry: its bytes.
  ///   - record: of its wallet.
  ///   - content: what ``add(to:_:isSameWallet:)`` compares.
  mutating func append(_ entry: borrowing SecretBytes, _ record: RecordID, content: Digest) {
    let start = text.count
    entry.withBytes { text.raw($0) }
    items.append(Item(record: record, range: start..<text.count, content: content))
  }

  /// Adds those to a backup that are not in it with the same content.
  ///
  /// - Parameters:
  ///   - opened: the backup.
  ///   - byRecord: whether the same content counts only in the same record.
  ///   - content: the content of a wallet of the backup; nil for none to compare.
  /// - Returns: the records of those that were added.
  /// - Throws: what adding throws.
  func add(
    to opened: inout OpenNamespace, byRecord: Bool,
    content: (WalletVersion, borrowing SecretBytes) -> Digest?
  ) throws(UserMessage) -> [RecordID] {
    var wanted: [Digest: Int] = [:]
    for (index, item) in items.enumerated() { wanted[item.content] = index }
    let records = Set(items.map(\.record))
    var known: Set<Int> = []
    _ = opened.forEachWallet { version, entry in
      if byRecord, !records.contains(version.recordID) { return }
      guard let found = content(version, entry), let index = wanted[found],
        !byRecord || items[index].record == version.recordID
      else { return }
      known.insert(index)
    }
    try Interruption.check()
    var batch = WalletBatch()
    var added: [RecordID] = []
    do throws(BackupFolderError) {
      for (index, item) in items.enumerated() where !known.contains(index) {
        try text.withBytes { text throws(BackupFolderError) in
          _ = try batch.append(text.extracting(item.range))
        }
        added.append(item.record)
      }
      try opened.add(batch)
    } catch {
      throw UserMessage(error)
    }
    return added
  }
}
