/// The operations of one namespace that are here, each with what it counts for.
struct NamespaceLog {
  let namespace: Int
  /// Ordinary operations, in the order of their arrival.
  private(set) var ordinary: [Name] = []
  /// Those that lie beyond what was carried into the next namespace: they only add.
  private(set) var beyond: Set<Name> = []
  /// Sealed operations that count.
  private(set) var counting: [Name] = []
  private(set) var heldBack: [Name] = []
  /// Sealed operations that nobody authorised.
  private(set) var reported: [Name] = []
  private(set) var incomplete: [Name] = []
  /// What sealed operations that count follow, and is not here.
  private(set) var missing: Set<Name> = []
  private(set) var mayWallets: Set<Int> = []

  init(_ namespace: Int, _ folder: Folder, carried: Set<Name>?, retirements: [Retirement]) {
    self.namespace = namespace
    var sealed: [Name] = []
    var added: Set<Authority> = []
    for name in folder.replica.arrived where folder[name].namespace == namespace {
      let operation = folder[name]
      if operation.isSealed {
        if operation.copyOf == nil || folder.rules.lack(.spelling) { sealed.append(name) }
        continue
      }
      ordinary.append(name)
      if carried == nil {
        let named = operation.seen + [operation.previous].compactMap(\.self)
        missing.formUnion(named.filter { !folder.replica.has($0) })
      }
      if let carried, !carried.contains(name) { beyond.insert(name) }
      for case .from(let ends?) in operation.changes {
        missing.formUnion(ends.filter { !folder.replica.has($0) })
      }
      for case .writerAdd(let writer, let key, let wallets) in operation.changes {
        added.insert(Authority(writer: writer, key: key))
        if wallets { mayWallets.insert(writer) }
      }
    }
    for name in sealed {
      let operation = folder[name]
      guard let key = operation.key else { continue }
      let isSigned = operation.signature == key || folder.rules.lack(.signature)
      let isAuthorised =
        added.contains(Authority(writer: operation.writer, key: key))
        || folder.rules.lack(.authorised)
      if !isSigned {
        reported.append(name)
      } else if !isAuthorised {
        let isAwaited = operation.after.map { !folder.replica.has($0) } ?? false
        if isAwaited, folder.rules.hold(.after) {
          incomplete.append(name)
        } else {
          reported.append(name)
        }
      } else if isRetired(name, retirements, folder) {
        heldBack.append(name)
      } else {
        counting.append(name)
      }
    }
    let valid = Set(counting + heldBack)
    missing.formUnion(counting.compactMap { folder[$0].previous }.filter { !valid.contains($0) })
  }

  private func isRetired(_ name: Name, _ retirements: [Retirement], _ folder: Folder) -> Bool {
    let of = retirements.filter { $0.holds(for: folder[name], folder.rules) }
    if of.isEmpty { return false }
    if folder.rules.lack(.everyRetirement) { return !of.contains { $0.covered.contains(name) } }
    return !of.allSatisfy { $0.covered.contains(name) }
  }

  /// The ends of the unbroken pieces of all chains that count.
  func pieces(_ folder: Folder) -> [Piece] {
    let followed = Set(counting.compactMap { folder[$0].previous })
    let here = Set(counting)
    return counting.filter { !followed.contains($0) }.map { end in
      var first = end
      while let previous = folder[first].previous, here.contains(previous) { first = previous }
      return Piece(end: end, first: folder[first].counter)
    }
  }

  /// The ends of the ordinary chains.
  func ends(_ folder: Folder) -> [Name] {
    var last: [Int: Name] = [:]
    var chains: [Int: [Int: Name]] = [:]
    for name in ordinary { chains[folder[name].writer, default: [:]][folder[name].counter] = name }
    for (writer, chain) in chains {
      var counter = 1
      while let name = chain[counter] {
        last[writer] = name
        counter += 1
      }
    }
    return last.values.sorted()
  }
}

private struct Authority: Hashable {
  let writer: Int
  let key: Int
}

/// A `writer-retire`, with the sealed operations that it covers.
struct Retirement {
  let name: Name
  let namespace: Int
  let key: Int
  let writer: Int
  let covered: Set<Name>
  /// The namespaces in which it names chains of its key.
  let named: Set<Int>

  func holds(for operation: Operation, _ rules: Rules) -> Bool {
    if rules.lack(.retireByKey) ? operation.writer != writer : operation.key != key { return false }
    if operation.namespace >= namespace { return true }
    if rules.lack(.retireFollowed) { return false }
    return rules.hold(.retireUnnamed) || named.contains(operation.namespace)
  }
}

/// The files that a reader has, and the rules that it reads them by.
struct Folder {
  let operations: [Operation]
  let replica: Replica
  let rules: Rules

  subscript(_ name: Name) -> Operation { operations[name] }

  /// The sealed operations that an ordinary operation covers.
  func covered(by operation: Operation) -> Set<Name> {
    var covered: Set<Name> = []
    for piece in operation.seenSealed {
      if rules.lack(.coveredByHash) {
        let end = operations[piece.end]
        for name in replica.arrived
        where operations[name].isSealed && operations[name].writer == end.writer
          && operations[name].counter <= end.counter
        {
          covered.insert(name)
        }
        continue
      }
      var next: Name? = piece.end
      while let name = next, replica.has(name), covered.insert(name).inserted {
        if rules.hold(.pieces), operations[name].counter <= piece.first { break }
        next = operations[name].previous
      }
    }
    return covered
  }

  /// Whether an ordinary operation covers another one of its namespace.
  func covers(_ operation: Operation, _ other: Operation) -> Bool {
    operation.seen.contains { end in
      operations[end].writer == other.writer && operations[end].counter >= other.counter
        && operations[end].namespace == other.namespace
    }
  }

  /// Whether a retirement that its adopter did not know holds back an adopted version too.
  func holdsBack(_ version: Version, _ retirements: [Retirement]) -> Bool {
    guard version.kind == .finding, let key = version.by, rules.hold(.findingsHeldBack) else {
      return false
    }
    return retirements.contains { retirement in
      retirement.key == key && retirement.namespace == version.namespace
        && !retirement.covered.contains(version.made)
        && !covers(operations[retirement.name], operations[version.name])
    }
  }

  /// The retirements among some ordinary operations.
  func retirements(in names: [Name]) -> [Retirement] {
    var found: [Retirement] = []
    for name in names {
      for case .writerRetire(let key, let writer) in operations[name].changes {
        let isLifted =
          rules.lack(.neverReturns)
          && names.contains { later in
            later > name
              && operations[later].changes.contains {
                if case .writerAdd(_, key, _) = $0 { true } else { false }
              }
          }
        if isLifted { continue }
        let named = operations[name].seenSealed.map { operations[$0.end] }.filter { $0.key == key }
        found.append(
          Retirement(
            name: name, namespace: operations[name].namespace, key: key, writer: writer,
            covered: covered(by: operations[name]), named: Set(named.map(\.namespace))))
      }
    }
    return found
  }
}
