internal import CSPP
internal import SecretMemory

extension OpenNamespace {
  /// The contents of good key slot files.
  ///
  /// These are the files that the log enrolled or left behind, its envelope, and the files that
  /// opened the backup in this run.
  var enrolledContents: Set<Digest> {
    var contents = Set(keyWrappers().values.map(\.contentDigest))
    if let file = log.envelope?.file,
      let envelope = try? MasterKeyEnvelope(parsing: file.span, at: id)
    {
      contents.insert(envelope.contentDigest)
    }
    switch opening.opener {
    case .some(let opener) where opener.slot.namespaceID == id:
      contents.formUnion(opener.slot.openedContents(secret: opener.secret))
    default: break
    }
    return contents
  }

  /// Remembers what this run learnt about the key slots; failing to do so is no error.
  ///
  /// - Parameter isLocked: whether the caller holds the lock.
  func rememberKeySlots(isLocked: Bool) {
    let time = namespace.settings.clock()
    let contents = enrolledContents
    let waiting = Set(keySlotsWithoutFile.map(\.keyID))
    // Of the same security key one file is enough.
    let files = keyWrappers().filter { has($0.key) || waiting.contains($0.key) }
    func isNews(_ state: StateFolder) -> LocalKeySlotState? {
      guard let known = try? state.slots(of: id) else { return nil }
      var news = known
      news.learn(
        log, enrolled: contents, waiting: waiting, files: files, openedBy: opening.provedBy,
        at: time)
      for older in lineage.earlier {
        // A code that was tested stays tested where a box leads from it.
        let before = state.readableKeySlots(of: older.open.id)
        for key in waiting where news.proved[key] == nil {
          news.proved[key] = before.proof(of: key, madeAt: log.pendingKeySlots[key]?.createdAt)
        }
      }
      return news == known ? nil : news
    }
    if let state = try? namespace.state(make: false), isNews(state) == nil { return }
    guard let state = try? namespace.state(make: true) else { return }
    let lock = isLocked ? nil : try? state.lock(patience: FileLock.readersPatience)
    guard isLocked || lock != nil, let news = isNews(state) else { return }
    try? state.save(news, of: id)
    _ = consume lock
  }
}
