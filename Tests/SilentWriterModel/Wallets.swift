/// What the log says of one wallet.
struct WalletState: Equatable {
  var live: Set<Int> = []
  /// Entries of silent writers beside a wallet that somebody with the key wrote.
  var proposals: Set<Int> = []
  var heldBack: Set<Int> = []
}

extension Reading {
  /// One `put` of a record.
  private struct Put {
    let name: Name
    let entry: Int
  }

  func wallet(_ record: Int) -> WalletState {
    var state = WalletState()
    let own = touching(record, log.ordinary).filter { !isHeldBack($0, record) }
    let bytes = Set(puts(record, own).map(\.entry))
    state.live = liveEntries(record, own, beyond: [])
    var earlierOwn: [Name] = []
    if let earlier {
      earlierOwn = touching(record, earlier.ordinary)
      let late = liveEntries(record, earlierOwn, beyond: earlier.beyond)
      state.live.formUnion(late.subtracting(bytes))
    }
    let ending =
      own
      + earlierOwn.filter { earlier?.beyond.contains($0) != true || folder.rules.lack(.onlyAdds) }
    let ended = ending.reduce(into: Set<Name>()) { $0.formUnion(folder.covered(by: folder[$1])) }
    let isOrdinary = !own.isEmpty || !earlierOwn.isEmpty
    for log in [earlier, log].compactMap({ $0 }) {
      for put in puts(record, log.heldBack) where !bytes.contains(put.entry) {
        state.heldBack.insert(put.entry)
      }
      for put in sealed(record, log) where !bytes.contains(put.entry) {
        if ended.contains(put.name) { continue }
        if folder.rules.lack(.coversNothing) {
          // A silent writer's word is taken for what it has seen.
          for other in own where folder.covers(folder[put.name], folder[other]) {
            for case .put(record, let entry) in folder[other].changes { state.live.remove(entry) }
          }
        }
        if !isOrdinary || folder.rules.lack(.coversNothing) {
          state.live.insert(put.entry)
        } else if folder.rules.lack(.walletsOnlyAdd) {
          state.live = [put.entry]
        } else if folder.rules.hold(.proposals) {
          state.proposals.insert(put.entry)
        }
      }
    }
    return state
  }

  /// Whether an ordinary operation states an entry that a retirement unknown to it holds back.
  private func isHeldBack(_ name: Name, _ record: Int) -> Bool {
    guard folder[name].isFinding, folder.rules.hold(.findingsHeldBack) else { return false }
    let entries = Set(puts(record, [name]).map(\.entry))
    let held = [earlier, log].compactMap(\.self).flatMap { log in
      puts(record, log.heldBack).filter { entries.contains($0.entry) }
    }
    return held.contains { put in
      retirementsHere.contains {
        $0.key == folder[put.name].key && $0.namespace == namespace
          && !$0.covered.contains(put.name)
          && !folder.covers(folder[$0.name], folder[name])
      }
    }
  }

  private func sealed(_ record: Int, _ log: NamespaceLog) -> [Put] {
    let may = log.counting.filter {
      log.mayWallets.contains(folder[$0].writer) || folder.rules.lack(.may)
    }
    return puts(record, may)
  }

  private func touching(_ record: Int, _ names: [Name]) -> [Name] {
    names.filter { name in
      folder[name].changes.contains {
        switch $0 {
        case .put(record, _), .remove(record): true
        default: false
        }
      }
    }
  }

  private func puts(_ record: Int, _ names: [Name]) -> [Put] {
    names.flatMap { name in
      folder[name].changes.compactMap { change in
        if case .put(record, let entry) = change { Put(name: name, entry: entry) } else { nil }
      }
    }
  }

  /// The entries of ordinary operations that no other one covers.
  private func liveEntries(_ record: Int, _ names: [Name], beyond: Set<Name>) -> Set<Int> {
    let covering = names.filter { !beyond.contains($0) || folder.rules.lack(.onlyAdds) }
    let dead = Set(
      names.filter { name in
        covering.contains { $0 != name && folder.covers(folder[$0], folder[name]) }
      })
    let found = puts(record, names.filter { dead.contains($0) && folder[$0].isFinding })
    let findings = Set(found.map(\.entry))
    var live: Set<Int> = []
    for put in puts(record, names) where !dead.contains(put.name) {
      if folder[put.name].isFinding, findings.contains(put.entry) { continue }
      live.insert(put.entry)
    }
    return live
  }
}
