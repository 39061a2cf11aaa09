internal import CSPP
internal import SecretMemory

/// A wallet's envelope that is on the disk and checked, but has no name yet.
struct StagedView {
  let record: RecordID
  /// Of the entry's bytes.
  let value: Digest
  let file: AtomicFile
}

/// Stages the envelopes of many wallets so that their syncs overlap.
struct ViewStager: ~Copyable {
  /// Files that are open at a time.
  private static let groupSize = 256
  /// Files from which on one sync of the file system takes less time than one
  /// of each: measured, a sync of one file costs a flush of the disk's cache.
  private static let manyFiles = 8

  private let folder: Directory
  private let tag: String
  private let time: UInt64
  private var pending: [StagedView] = []
  private var buffer = FileBuffer()
  /// What is on the disk and checked.
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

  /// Waits until all that was staged is on the disk and opens it again.
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

extension OpenNamespace {
  /// Gives staged envelopes their names.
  ///
  /// A file whose bytes no `put` here holds stays as it is: a reader shows both
  /// versions, the logged one from the log.
  mutating func place(_ views: [StagedView]) throws(BackupFolderError) {
    var buffer = FileBuffer()
    let limit = namespace.settings.limits.record
    for staged in views {
      let name = FolderLayout.walletFile(staged.record)
      if try staged.file.place(new: name) { continue }
      _ = try staged.file.place(replacing: name, buffer: &buffer, limit: limit) { bytes in
        mayGo(bytes)
      }
    }
    view.written += views.compactMap { staged in
      staged.file.stamp.map {
        ViewStamps.Entry(record: staged.record, value: staged.value, stamp: $0)
      }
    }
    if let first = views.first { try first.file.directory.sync() }
  }

  /// Whether the bytes of a view file may be lost: what they hold is logged, or
  /// they hold nothing that this namespace's key opens.
  mutating func mayGo(_ bytes: Span<UInt8>) -> Bool {
    switch view.reader.open(bytes: bytes) {
    case .opened(let entry, let value):
      log.index.standing(of: value, record: entry.recordID) != .unknown
    case .failed(let failure): failure.mayBeReplaced
    case .absent: false
    }
  }
}
