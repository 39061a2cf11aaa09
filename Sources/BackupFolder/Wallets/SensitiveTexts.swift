internal import CSPP

/// Private data beside the wallets: texts of a topic, which all computers add to
/// and nobody takes from.
extension OpenNamespace {
  /// Every text of a topic, in no order; also those that earlier namespaces hold.
  ///
  /// - Throws: a listing that fails.
  public func sensitiveTexts(_ topic: String) throws(BackupFolderError) -> [[UInt8]] {
    // What a writing run read earlier it does not read again; it keeps no texts.
    let whole =
      isLoaded && !log.isFromCache
      ? log : try OperationLog.read(namespace, masterKey: masterKey)
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

  /// The topics of which there is a text, as far as the logs were read in this run.
  var sensitiveTopics: [String] {
    lineage.earlier.reduce(into: Set(log.sensitive.keys)) { $0.formUnion($1.open.sensitiveTopics) }
      .sorted()
  }

  /// Adds a text, durably.
  ///
  /// - Parameters:
  ///   - text: any bytes that are no secret.
  ///   - topic: what it is about.
  /// - Throws: ``BackupFolderError/diskFull(path:)`` and other system errors: then
  ///   nothing was added.
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
    saveCache(run: run)
  }
}
