import BackupFolder
import CSPP

extension World {
  /// Delivers everything, lets every computer complete its work, and checks the final state.
  func finish() {
    settleDown()
    let truths = computers.map { truth(of: $0) }
    let mustBeLive = oracle.mustBeLive()
    var first: Set<Digest>?
    for (computer, truth) in zip(computers, truths) {
      let live = truth.live()
      let all = Set(live.values.flatMap(\.keys))
      if let first, first != all { violate("\(computer.name) differs from \(computers[0].name)") }
      first = first ?? all
      let words = Set(live.values.flatMap { $0.values.map(\.words) })
      for (_, needed) in mustBeLive where !needed.isSubset(of: words) {
        violate("\(computer.name) lost \(needed.subtracting(words).sorted())")
      }
      let risen = words.intersection(oracle.mustBeGone())
      if !risen.isEmpty { violate("\(computer.name): back again: \(risen.sorted())") }
      checkIsWhole(computer, truth)
    }
    if violations.isEmpty { settleConflicts() }
  }

  /// Delivers everything; every computer reports its findings.
  func lookAround() {
    engine.deliverAll()
    for computer in computers { run(computer, .look) }
  }

  private func settleDown() {
    for _ in 0..<3 {
      engine.deliverAll()
      for computer in computers { run(computer, .repair) }
    }
    engine.deliverAll()
  }

  /// Checks that nothing is missing or left over, and that either half of the folder gives every
  /// wallet.
  private func checkIsWhole(_ computer: Computer, _ truth: Truth) {
    do {
      let namespace = try computer.folder(time: engine.tick()).namespace(self.namespace)
      let structure = try namespace.checkStructure()
      if structure.health.incomplete > 0 { violate("\(computer.name): incomplete in the end") }
      guard var open = try unlock(namespace) else { return violate("no way in") }
      if open.health.incomplete > 0 { violate("\(computer.name): incomplete in the end") }
      let live = truth.live()
      for record in open.keptAgainstRemoval {
        let words = Set(live[record, default: [:]].values.map(\.words))
        if !oracle.mayBeKeptAgainstRemoval(record, words) {
          violate("\(computer.name): false alarm, changed and removed: \(words.sorted())")
        }
      }
      let report = open.verify()
      for state in [WalletState.missing, .incomplete, .rolledBack, .unreadable]
      where report.counts[state] > 0 {
        violate("\(computer.name): \(report.counts[state]) \(state) in the end")
      }
    } catch {
      violate("\(computer.name): does not open in the end: \(error)")
    }
    for path in Disk.files(computer.replica.folder).keys
    where path.contains("/\(FolderLayout.walletFolder)/.keybackup-tmp-")
      && !mayStay(path, at: computer, truth)
    {
      violate("\(computer.name): left over: \(path)")
    }
    let live = truth.live()
    let all = Set(live.values.flatMap { $0.values.map(\.words) })
    let unlogged = Set(truth.unlogged.values.map(\.words))
    let view = words(of: computer) { !$0.contains("/\(FolderLayout.ownFolder)/") }
    let records = Set(live.filter { !$0.value.isEmpty }.keys)
    if !records.isSubset(of: view.keys) {
      violate("\(computer.name): the view alone gives \(view.count) of \(records.count) wallets")
    }
    if !Set(view.values.flatMap { $0 }).isSubset(of: all.union(unlogged)) {
      violate("\(computer.name): the view alone gives what was superseded")
    }
    let log = words(of: computer) { $0.contains("/\(FolderLayout.ownFolder)/") }
    if Set(log.values.flatMap { $0 }) != all {
      violate("\(computer.name): the log alone gives \(log.count) wallets")
    }
  }

  /// The words that a computer without any state restores from some of the files.
  private func words(
    of computer: Computer, from isThere: (String) -> Bool
  ) -> [RecordID: Set<String>] {
    let reader = Computer(
      name: "reader", replica: Replica(folder: "\(base)/reader"), state: "\(base)/reader-state")
    defer {
      Disk.remove(reader.replica.folder)
      Disk.remove(reader.state)
    }
    reader.replica.replace(with: computer.replica.versions.filter { isThere($0.key) })
    do {
      let namespace = try reader.folder(time: 0).namespace(self.namespace)
      guard var open = try unlock(namespace) else { return [:] }
      var shown = Shown()
      _ = open.forEachWallet { version, bytes in
        shown.add(version, words: version.entry.words(in: bytes), bytes)
      }
      return shown.versions.mapValues { Set($0.keys) }
    } catch {
      violate("half of the files do not open: \(error)")
      return [:]
    }
  }

  /// Decides every conflict on one computer, as a user would.
  private func settleConflicts() {
    for wallet in World.wallets { run(computers[0], .keep(wallet)) }
    settleDown()
    for computer in computers {
      let truth = truth(of: computer)
      for (record, live) in truth.live() {
        let shown = Set(live.values.map(\.words))
          .union(truth.unlogged.values.filter { $0.record == record }.map(\.words))
        if shown.count > 1 {
          violate("\(computer.name): a conflict was not settled: \(shown.sorted())")
        }
      }
    }
  }

  /// Whether a temporary file may stay.
  ///
  /// A cloned computer staged it for an operation whose number the other computer gave to another
  /// version of the same wallet. Another program's version may look the same, and would then be its
  /// only copy.
  private func mayStay(_ path: String, at computer: Computer, _ truth: Truth) -> Bool {
    guard isCloned, case .wallet(let entry) = computer.replica.files[path]?.meaning,
      let mark = entry.mark
    else { return false }
    return truth.operations.values.contains { operation in
      operation.reference.writerID == mark.writerID && operation.reference.counter == mark.counter
        && operation.changes.contains {
          $0.record == entry.record && $0.entry?.value != entry.value
        }
    }
  }
}
