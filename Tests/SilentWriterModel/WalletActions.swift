extension World {
  /// A person writes or removes a wallet.
  func changeWallet(_ person: Int, _ record: Int, isRemoval: Bool) {
    let reading = open(person)
    let state = reading.wallet(record)
    if isRemoval, state.live.isEmpty { return }
    if reading.namespace > 0, mustWait(reading), rules.hold(.gapAdopt) { return }
    let entry = number()
    let change =
      isRemoval ? Change.remove(record: record) : .put(record: record, entry: entry)
    adoptWallet(person, record, state, reading)
    let after = self.reading(of: persons[person].replica, namespace: reading.namespace)
    let name = write([change], by: person, after)
    truth.endedEntries[name] = state.live.union(state.proposals)
    if !isRemoval { truth.entries[entry] = (name, .person(person), record) }
    log("person \(person) changes wallet \(record): \(describe(name))")
  }

  /// States the late entries in this namespace.
  private func adoptWallet(_ person: Int, _ record: Int, _ state: WalletState, _ reading: Reading) {
    guard reading.namespace > 0 else { return }
    let own = Set(
      reading.log.ordinary.flatMap { name in
        operations[name].changes.compactMap { change in
          if case .put(record, let entry) = change { entry } else { nil }
        }
      })
    for entry in state.live.subtracting(own).sorted() {
      write([.put(record: record, entry: entry)], by: person, reading, isFinding: true)
    }
  }
}
