public import CSPP
public import SecretMemory

/// Wallets to be written together, in one operation as long as they fit.
///
/// All entries are in one piece of guarded memory.
public struct WalletBatch: ~Copyable {
  /// The range and record of one entry.
  struct Item {
    let record: RecordID
    let range: Range<Int>
  }

  private(set) var items: [Item] = []
  private var storage: SecretBytes
  private var used: Int
  private var known: Set<RecordID> = []

  /// Creates an empty batch.
  public init() {
    storage = SecretBytes(zeroed: 4096)
    used = 0
  }

  /// Creates an empty batch that takes over a text with entries, so that many entries need no
  /// second copy.
  ///
  /// ``append(at:)`` then gives their ranges.
  public init(text: consuming SecretBytes) {
    used = text.count
    storage = text
  }

  /// The number of entries.
  public var count: Int { items.count }

  /// The entries' records, in order.
  public var records: [RecordID] { items.map(\.record) }

  /// The largest entry that a record within the standard limits can hold, in bytes.
  public static let entryLimit = (SizeLimits.standard.record - 2048) / 4 * 3

  /// Adds a wallet's entry.
  ///
  /// - Parameter entry: WalletEntry JSON. It is kept byte for byte, except for the mark of the
  ///   operation that will seal it.
  /// - Returns: the wallet's record.
  /// - Throws: ``BackupFolderError/dataInvalid(path:reason:)`` when it is not a WalletEntry, or the
  ///   batch already has that wallet.
  @discardableResult
  public mutating func append(_ entry: RawSpan) throws(BackupFolderError) -> RecordID {
    let range = used..<used + entry.byteCount
    let record = try Self.record(of: entry)
    try add(record, range)
    if range.upperBound > storage.count {
      let grown = max(storage.count * 2, range.upperBound)
      storage.reserve(grown)
      storage.resize(to: grown)
    }
    unsafe storage.withUnsafeMutableBytes { storage in
      unsafe entry.withUnsafeBytes { entry in
        unsafe UnsafeMutableRawBufferPointer(rebasing: storage[range]).copyMemory(from: entry)
      }
    }
    used = range.upperBound
    return record
  }

  /// Adds a wallet's entry from the text that the batch took over.
  ///
  /// - Parameter range: the entry's range in it.
  /// - Returns: the wallet's record.
  /// - Throws: as ``append(_:)``.
  @discardableResult
  public mutating func append(at range: Range<Int>) throws(BackupFolderError) -> RecordID {
    let record = try storage.withBytes { (text) throws(BackupFolderError) in
      try Self.record(of: text.extracting(range))
    }
    try add(record, range)
    return record
  }

  private static func record(of entry: RawSpan) throws(BackupFolderError) -> RecordID {
    do {
      return try WalletEntry(parsing: entry).recordID
    } catch {
      throw .invalidEntry(error)
    }
  }

  private mutating func add(
    _ record: RecordID, _ range: Range<Int>
  ) throws(BackupFolderError) {
    guard known.insert(record).inserted else {
      throw .dataInvalid(path: "", reason: "the same wallet twice in one batch")
    }
    items.append(Item(record: record, range: range))
  }

  /// Lends one entry's bytes.
  ///
  /// - Parameters:
  ///   - index: the entry's place, from 0.
  ///   - body: receives them.
  /// - Returns: what `body` returns.
  /// - Throws: only the errors of `body`.
  public borrowing func withEntry<R: ~Copyable, E: Error>(
    _ index: Int, _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try storage.withBytes { (bytes) throws(E) in try body(bytes.extracting(items[index].range)) }
  }
}

extension BackupFolderError {
  /// The error for bytes that are not a WalletEntry.
  static func invalidEntry(_ error: CSPPError) -> BackupFolderError {
    .dataInvalid(path: "", reason: "the entry \(error)")
  }
}
