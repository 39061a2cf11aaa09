public import CSPP
internal import SecretMemory

extension OpenNamespace {
  /// Authorises a computer to write without the key.
  ///
  /// A request that was authorised already gets its answer once more.
  ///
  /// - Parameters:
  ///   - request: its request, whose fingerprint a person has compared.
  ///   - may: the changes that count.
  ///   - label: its name for people; nil for the one in the request.
  /// - Returns: the line that answers the request, and the operation.
  /// - Throws: ``BackupFolderError/silentWriter(_:)``; system errors.
  public mutating func authorise(
    _ request: WriterRequest, may: SilentWriter.Permissions, label: PathComponent? = nil
  ) throws(BackupFolderError) -> (answer: String, operation: Operation.Seen) {
    let run = try beginRun()
    if retiredKeys.contains(request.signingKey) { throw .silentWriter(.retired) }
    let known = log.files.authorisations.first {
      $0.writer.identity == request.identity && !$0.writer.may.isEmpty
    }
    if let known {
      return (try answer(request, known.writer.may, known.operation), known.operation)
    }
    if isAuthorised(request.signingKey) { throw .silentWriter(.alreadyAuthorised) }
    if isUsed(request.writerID) { throw .silentWriter(.writerIDUsed) }
    guard request.signingKey.isValid, request.answerKey.isValid else {
      throw .silentWriter(.line(.invalid("key")))
    }
    let writer = SilentWriter(
      writerID: request.writerID, signingKey: request.signingKey, label: label ?? request.label,
      may: may)
    // What it added under another ID has its CSPP file before it writes here.
    try followSilentWallets(run: run)
    // The key was checked: adding it does not fail.
    let staged = try stage(run: run) { try? $0.writerAdd(writer) }
    try publish(staged, run: run)
    return (try answer(request, may, staged.reference), staged.reference)
  }

  private func answer(
    _ request: WriterRequest, _ may: SilentWriter.Permissions, _ operation: Operation.Seen
  ) throws(BackupFolderError) -> String {
    do {
      return try WriterAnswer.line(to: request, masterKey: masterKey, may: may, after: operation)
    } catch {
      throw .silentWriter(.line(.invalid("answer key")))
    }
  }

  /// The keys that were retired here or in a namespace that this one follows.
  private var retiredKeys: Set<SigningKey> {
    lineage.earlier.reduce(into: Set(knownRetirements.map(\.key))) {
      $0.formUnion($1.open.retiredKeys)
    }
  }

  private func isAuthorised(_ key: SigningKey) -> Bool {
    log.files.authorisations.contains { $0.writer.signingKey == key && !$0.writer.may.isEmpty }
  }

  /// Whether anybody has written under an ID, or was authorised for it.
  private func isUsed(_ id: WriterID) -> Bool {
    log.files.authorisations.contains { $0.writer.writerID == id } || log.labels[id] != nil
      || localState.writer == id || lineage.earlier.contains { $0.open.isUsed(id) }
  }

  /// Retires a silent writer's key: what it writes from now on is held back.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - despiteGaps: whether to go on while operations are missing; those of this key are then held
  ///     back when they arrive.
  /// - Throws: ``SilentWriterObstacle/noSuchWriter``; ``FileObstacle/historyIncomplete``; system
  ///   errors.
  public mutating func retire(
    _ key: SigningKey, despiteGaps: Bool = false
  ) throws(BackupFolderError) {
    let run = try beginRun()
    let status = silentWriters().filter { $0.writer.signingKey == key }
    guard let writer = status.first?.writer else { throw .silentWriter(.noSuchWriter) }
    let hasGap = status.contains { $0.hasGap || $0.missing + $0.incomplete > 0 }
    if hasGap, !despiteGaps { throw .file(.historyIncomplete) }
    // What counts of it now has its CSPP file before.
    try followSilentWallets(run: run)
    let staged = try stage(run: run) { $0.silentWriterRetire(writer.writerID, key) }
    try publish(staged, run: run)
  }
}
