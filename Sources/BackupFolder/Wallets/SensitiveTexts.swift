internal import CSPP

/// Private data beside the wallets: texts by topic.
///
/// Every computer can add texts; none removes them.
extension OpenNamespace {
  /// Every text of a topic, in no order, including those of earlier namespaces.
  ///
  /// - Throws: if a listing fails.
  public func sensitiveTexts(_ topic: String) throws(BackupFolderError) -> [[UInt8]] {
    let whole = isLoaded ? log : try OperationLog.read(namespace, masterKey: masterKey)
    let sealed = whole.sensitive[topic] ?? []
    var texts = sealed.compactMap {
      try? SensitiveData.open($0, topic: topic, masterKey: masterKey)
    }
    for older in lineage.earlier {
      let known = Set(texts)
      texts += try older.open.sensitiveTexts(topic).filter { !known.contains($0) }
    }
    return texts
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
    let run = try WritingRun.begin(namespace.state(make: true))
    try refresh(run: run)
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
