internal import CSPP
internal import SecretMemory

/// A wallet's envelope that is on the disk and checked, but has no name yet.
struct StagedView {
  let record: RecordID
  /// The digest of the entry's bytes.
  let value: Digest
  let file: AtomicFile
}

/// Stages the envelopes of many wallets so that their syncs overlap.
struct ViewStager: ~Copyable {
  /// The number of files that are open at a time.
  private static let groupSize = 256
  /// The number of files from which one sync of the file system is faster than one per file.
  ///
  /// Measured: a sync of one file costs a flush of the disk's cache.
  private static let manyFiles = 8

  private let folder: Directory
  private let tag: String
  private let time: UInt64
  private var pending: [StagedView] = []
  private var buffer = FileBuffer()
  /// The envelopes that are on the disk and checked.
  private(set) var settled: [StagedView] = []

  init(in folder: Directory, tag: String, time: UInt64) {
    self.folder = folder
    self.tag = tag
    self.time = time
  }

  /// Seals an entry and writes its envelope under a temporary name.
  mutating func stage(
    _ entry: borrowing SecretBytes, reader: inout WalletReader
  ) throws(BackupFolderError) {
    let value = entry.withBytes { Digest(of: $0) }
    let record: RecordID
    let envelope: [UInt8]
    do {
      let parsed = try WalletEntry(parsing: entry)
      record = parsed.recordID
      envelope = try reader.seal(entry, parsed, at: time)
    } catch {
      throw .invalidEntry(error)
    }
    guard envelope.count <= reader.limit else {
      throw .tooLarge(path: FolderLayout.walletFile(record), limit: reader.limit)
    }
    let file = try unsafe AtomicFile(staging: envelope.span.bytes, in: folder, tag: tag)
    pending.append(StagedView(record: record, value: value, file: file))
    if pending.count == Self.groupSize { try settle(reader: &reader) }
  }

  /// Makes everything staged durable and opens it again.
  mutating func settle(reader: inout WalletReader) throws(BackupFolderError) {
    let isSynced = pending.count >= Self.manyFiles && folder.canSyncAll
    if isSynced { try folder.syncAll() }
    for view in pending {
      try view.file.settle(buffer: &buffer, isSynced: isSynced) { bytes in
        guard case .opened(let entry, let back) = reader.open(bytes: bytes) else { return false }
        return back == view.value && entry.recordID == view.record
      }
      settled.append(view)
    }
    pending.removeAll(keepingCapacity: true)
  }
}
