public import CSPP
public import SecretMemory

/// Wallets to be written together: one operation, as long as they fit.
///
/// All entries lie in one piece of guarded memory.
public struct WalletBatch: ~Copyable {
  /// One entry's place and record.
  struct Item {
    let record: RecordID
    let range: Range<Int>
  }

  private(set) var items: [Item] = []
  private var storage: SecretBytes
  private var used: Int
  private var known: Set<RecordID> = []

  /// An empty batch.
  public init() {
    storage = SecretBytes(zeroed: 4096)
    used = 0
  }

  /// An empty batch that takes over a text with entries in it, so that many
  /// need no second copy: ``append(at:)`` says where they are.
  public init(text: consuming SecretBytes) {
    used = text.count
    storage = text
  }

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

  /// Adds a wallet's entry that lies in the text that the batch took over.
  ///
  /// - Parameter range: the entry's place in it.
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
  borrowing func withEntry<R: ~Copyable, E: Error>(
    _ index: Int, _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try storage.withBytes { (bytes) throws(E) in try body(bytes.extracting(items[index].range)) }
  }
}

extension BackupFolderError {
  /// The error for bytes that are no WalletEntry.
  static func invalidEntry(_ error: CSPPError) -> BackupFolderError {
    .dataInvalid(path: "", reason: "the entry \(error)")
  }
}
