public import CSPP
internal import SecretMemory

/// Wallets to be written together: one operation, as long as they fit.
///
/// All entries lie one behind the other in guarded memory that grows.
public struct WalletBatch: ~Copyable {
  /// One entry's place and record.
  struct Item {
    let record: RecordID
    let range: Range<Int>
  }

  private(set) var items: [Item] = []
  private var storage = SecretBytes(zeroed: 4096)
  private var used = 0

  /// An empty batch.
  public init() {}

  /// Number of entries.
  public var count: Int { items.count }

  /// The entries' records, in order.
  public var records: [RecordID] { items.map(\.record) }

  /// Largest entry that a record of ordinary limits holds, in bytes.
  public static let entryLimit = (SizeLimits.standard.record - 2048) / 4 * 3

  /// Adds a wallet's entry.
  ///
  /// - Parameter entry: WalletEntry JSON. It is kept byte for byte but for the
  ///   mark of the operation that will seal it.
  /// - Returns: the wallet's record.
  /// - Throws: ``BackupFolderError/dataInvalid(path:reason:)`` when it is not a
  ///   WalletEntry, or the batch holds that wallet already.
  @discardableResult
  public mutating func append(_ entry: RawSpan) throws(BackupFolderError) -> RecordID {
    let record: RecordID
    do {
      record = try WalletEntry(parsing: entry).recordID
    } catch {
      throw .invalidEntry(error)
    }
    guard known.insert(record).inserted else {
      throw .dataInvalid(path: "", reason: "the same wallet twice in one batch")
    }
    let size = entry.byteCount
    if used + size > storage.count {
      let grown = max(storage.count * 2, used + size)
      storage.reserve(grown)
      storage.resize(to: grown)
    }
    let start = used
    unsafe storage.withUnsafeMutableBytes { storage in
      unsafe entry.withUnsafeBytes { entry in
        unsafe UnsafeMutableRawBufferPointer(rebasing: storage[start..<start + size])
          .copyMemory(from: entry)
      }
    }
    used += size
    items.append(Item(record: record, range: start..<used))
    return record
  }

  private var known: Set<RecordID> = []

  /// Lends one entry's bytes.
  borrowing func withEntry<R: ~Copyable, E: Error>(
    _ index: Int, _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try storage.withBytes { (bytes) throws(E) in try body(bytes.extracting(items[index].range)) }
  }
}

extension BackupFolderError {
  /// The error for bytes that are no WalletEntry.
  static func invalidEntry(_ error: CSPPError) -> BackupFolderError {
    .dataInvalid(path: "", reason: "not a WalletEntry: \(error)")
  }
}
