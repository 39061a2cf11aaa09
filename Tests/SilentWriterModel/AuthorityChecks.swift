extension World {
  func checkAuthority(_ reading: Reading) {
    for version in reading.versions where !truth.chosen.contains(version.made) {
      let name = version.kind == .sealed ? version.name : version.made
      checkAuthor(of: name, isLate: version.namespace < reading.namespace, "version \(name)")
      if let key = version.by, operations[version.made].author.isHonest,
        operations[version.made].key != key
          || truth.versions[version.made]?.object != version.object
      {
        violate("version \(version.name) passes for \(version.made)")
      }
    }
    for record in 0..<World.records {
      let state = reading.wallet(record)
      for entry in state.live.union(state.proposals).sorted() {
        guard let made = truth.entries[entry] else { continue }
        checkAuthor(of: made.by, isLate: operations[made.by].namespace < reading.namespace, "entry")
        if operations[made.by].author == .thief, !mayWallets(operations[made.by].writer) {
          violate("entry \(entry) counts, and its writer may not write wallets")
        }
      }
    }
  }

  private func mayWallets(_ writer: Int) -> Bool {
    operations.contains {
      $0.changes.contains { change in
        if case .writerAdd(writer, _, true) = change { true } else { false }
      }
    }
  }

  private func checkAuthor(of name: Name, isLate: Bool, _ what: String) {
    let operation = operations[name]
    switch operation.author {
    case .person, .silent: break
    case .outsider: violate("\(what): an outsider's \(name) counts")
    case .formerKey:
      if operation.isSealed || operation.namespace > 0 {
        violate("\(what): \(name) counts, signed by nobody")
      }
    case .thief:
      guard let key = operation.key, truth.stolen.contains(key) else {
        return violate("\(what): the thief's \(name) counts, with a key of his own")
      }
      let isRetired = truth.retired[key, default: []].contains { retirement in
        retirement < name && isHere(retirement) && holds(retirement)
      }
      if isRetired { violate("\(what): the retired thief's \(name) counts") }
    }
  }

  /// Whether a person's operation is carried, or in the newest namespace.
  func holds(_ name: Name) -> Bool {
    if operations[name].namespace == 1 || !isRotated { return true }
    return operations.contains { operation in
      operation.changes.contains { change in
        guard case .from(let ends?) = change else { return false }
        return ends.contains {
          operations[$0].writer == operations[name].writer
            && operations[$0].counter >= operations[name].counter
        }
      }
    }
  }
}
