internal import CSPP
internal import SecretMemory

extension OpenNamespace {
  /// Saves this run's knowledge for the next one; must be called last.
  mutating func saveCache(run: borrowing WritingRun) {
    let time = FileStamp.now()
    if let folder = try? namespace.walletFolder() {
      // A file that got its name only a moment ago is not kept, so it is opened once more.
      let new = view.written.compactMap { file -> ViewStamps.Entry? in
        guard let stamp = folder.stamp(ofWallet: file.record),
          stamp.isSame(as: file.stamp), stamp.isSettled(at: time)
        else { return nil }
        return ViewStamps.Entry(record: file.record, value: file.value, stamp: stamp)
      }
      view.stamps?.add(new)
    }
    view.written = []
    for older in lineage.earlier { older.open.saveCache(run: run) }
    try? NamespaceCache(log: log, view: view.stamps).save(id, to: run.state, masterKey: masterKey)
  }
}
