internal import CSPP
internal import SecretMemory

/// Private data beside the wallets: texts by topic.
///
/// Every computer can add texts; none removes them.
extension OpenNamespace {
  /// Every text of a topic that is no secret, in no order, including those of earlier namespaces.
  ///
  /// - Throws: if a listing fails.
  public func sensitiveTexts(_ topic: String) throws(BackupFolderError) -> [[UInt8]] {
    var texts: [[UInt8]] = []
    try forEachSensitive(topic) { text, _ in
      texts.append(unsafe text.withUnsafeBytes { unsafe Array($0) })
    }
    return texts
  }

  /// The digests of a topic's texts.
  func sensitiveDigests(_ topic: String) throws(BackupFolderError) -> Set<Digest> {
    var digests: Set<Digest> = []
    try forEachSensitive(topic) { text, _ in digests.insert(text.withBytes { Digest(of: $0) }) }
    return digests
  }

  /// Passes on every text of a topic once, in no order.
  ///
  /// - Parameters:
  ///   - topic: its topic.
  ///   - body: receives a text, and whether only earlier namespaces have it. Anyone who has a
  ///     master key that was given up may have written such a text.
  /// - Throws: the errors of `body`, and if a listing fails.
  func forEachSensitive(
    _ topic: String,
    _ body: (borrowing SecretBytes, _ isEarlier: Bool) throws(BackupFolderError) -> Void
  ) throws(BackupFolderError) {
    var known: Set<Digest> = []
    try forEachSensitive(topic, isEarlier: false, &known, body)
  }

  private func forEachSensitive(
    _ topic: String, isEarlier: Bool, _ known: inout Set<Digest>,
    _ body: (borrowing SecretBytes, _ isEarlier: Bool) throws(BackupFolderError) -> Void
  ) throws(BackupFolderError) {
    let whole = isLoaded ? log : try OperationLog.read(namespace, masterKey: masterKey)
    for sealed in whole.sensitive[topic] ?? [] {
      guard let text = try? SensitiveData.open(sealed, topic: topic, masterKey: masterKey),
        known.insert(text.withBytes { Digest(of: $0) }).inserted
      else { continue }
      try body(text, isEarlier)
    }
    for older in lineage.earlier {
      try older.open.forEachSensitive(topic, isEarlier: true, &known, body)
    }
  }

  /// The topics that have a text, as far as this run has read the logs.
  var sensitiveTopics: [String] {
    lineage.earlier.reduce(into: Set(log.sensitive.keys)) { $0.formUnion($1.open.sensitiveTopics) }
      .sorted()
  }

  /// Adds a text, durably.
  ///
  /// - Parameters:
  ///   - text: any bytes that are no secret.
  ///   - topic: its topic.
  /// - Throws: ``BackupFolderError/diskFull(path:)`` and other system errors; nothing was added
  ///   then.
  public mutating func addSensitive(
    _ text: [UInt8], topic: String
  ) throws(BackupFolderError) {
    try addSensitive(unsafe SecretBytes(copying: text.span.bytes), topic: topic)
  }

  /// Adds a text, durably.
  ///
  /// - Throws: as for one that is no secret.
  mutating func addSensitive(
    _ text: borrowing SecretBytes, topic: String
  ) throws(BackupFolderError) {
    let run = try beginRun()
    _ = try repair(run: run)
    let sealed: [UInt8]
    do {
      sealed = try SensitiveData.seal(text, topic: topic, masterKey: masterKey)
    } catch {
      throw .internalError("sealing private data: \(error)")
    }
    let staged = try stage(run: run) { [sealed] operation in
      operation.sensitive(topic: topic, sealed: sealed.span)
    }
    try publish(staged, run: run)
    log.include(sensitive: sealed, topic: topic)
  }
}
