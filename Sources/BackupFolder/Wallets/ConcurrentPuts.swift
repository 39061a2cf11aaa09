internal import CSPP
internal import SecretMemory

/// Versions of wallets for an operation that supersedes nothing, because its `seen` is empty.
struct ConcurrentPuts: ~Copyable {
  private var operation: OperationBuilder
  private(set) var versions: [(RecordID, Digest?)] = []
  private var size = 0
  private var values: Set<Digest> = []
  private let settings: BackupFolder.Settings

  init(for settings: BackupFolder.Settings) {
    self.settings = settings
    operation = Self.empty(settings)
  }

  private static func empty(_ settings: BackupFolder.Settings) -> OperationBuilder {
    OperationBuilder(at: settings.clock(), writerLabel: settings.writerLabel, seen: [])
  }

  /// Whether another entry must go into another operation.
  ///
  /// - Parameters:
  ///   - count: the size of the entry in bytes.
  ///   - reserve: the size in bytes of the file's other contents.
  /// - Returns: true where the file, or the batch, would be too large.
  func isFull(for count: Int, reserve: Int = 0) -> Bool {
    if versions.isEmpty { return false }
    let grown = operation.fileSize + OperationBuilder.fileSize(ofEntry: count) + reserve
    return size + count > settings.operationSize || grown > settings.limits.operation
  }

  /// Adds a version; equal bytes are added only once.
  mutating func add(_ record: RecordID, _ value: Digest, _ bytes: borrowing SecretBytes) {
    guard values.insert(value).inserted else { return }
    operation.put(record, entry: bytes)
    versions.append((record, value))
    size += bytes.count
  }

  /// Adds private data beside the wallets.
  mutating func addSensitive(_ topic: String, _ sealed: [UInt8]) {
    operation.sensitive(topic: topic, sealed: sealed.span)
  }

  /// Adds the earlier namespace and the key slot of a new namespace.
  mutating func addFounding(
    from earlier: borrowing MasterKey, _ key: KeyID, file: [UInt8], envelope: [UInt8]?
  ) {
    operation.from(earlier)
    operation.keyAdd(key, file: file.span)
    if let envelope { operation.envelope(file: envelope.span) }
  }

  /// Whether there is anything to log.
  var isEmpty: Bool { operation.count == 0 }

  /// Returns the operation and begins another.
  mutating func take() -> OperationBuilder {
    versions = []
    size = 0
    var full = Self.empty(settings)
    swap(&operation, &full)
    return full
  }
}

extension OpenNamespace {
  /// Logs the collected versions, if any.
  mutating func publish(
    _ puts: inout ConcurrentPuts, hasLinks: Bool = false, run: borrowing WritingRun
  ) throws(BackupFolderError) {
    if puts.isEmpty { return }
    let versions = puts.versions
    var staged = try stage(puts.take(), nextHeader(), seen: [], versions: versions, run: run)
    staged.hasLinks = hasLinks
    try publish(staged, run: run)
  }
}
