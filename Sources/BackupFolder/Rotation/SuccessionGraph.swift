internal import CSPP
internal import SecretMemory

/// The links between the namespaces of a backup, from one of them to the one in charge.
struct SuccessionGraph {
  private struct Stop {
    let links: LogLinks
    let index: LogIndex
  }

  /// The most namespaces that are opened: a holder of a master key that was given up could name as
  /// many as fit.
  private static let mostStops = 64

  private let start: Namespace
  private let slots: [KeySlotSecret]
  private let compared: NamespaceID?
  private var stops: [NamespaceID: Stop] = [:]
  /// The known master keys.
  private(set) var keys: [NamespaceID: SharedMasterKey] = [:]
  /// A namespace that is read because its successor is not complete here.
  private var givenUp: NamespaceID?
  /// The namespaces that an available key slot opened.
  private var trusted: Set<NamespaceID> = []

  init(from start: Namespace, slots: [KeySlotSecret], compared: NamespaceID?) {
    self.start = start
    self.slots = slots
    self.compared = compared
  }

  /// Takes a master key that a key slot gave.
  mutating func take(_ key: SharedMasterKey) {
    keys[key.namespaceID] = key
    trusted.insert(key.namespaceID)
  }

  /// Adds the links of an open namespace and of those before it.
  ///
  /// An earlier namespace's links make nothing trusted. Anyone who has its master key can write
  /// them, and that may be why it was rotated.
  mutating func visit(_ open: borrowing OpenNamespace) {
    stops[open.id] = Stop(links: open.log.links, index: open.log.index)
    for known in open.log.links.earlier where keys[known.namespaceID] == nil {
      keys[known.namespaceID] = known
    }
    for older in open.lineage.earlier { visit(older.open) }
  }

  /// Whether the key slot that opened the first namespace opens this one too.
  func opens(_ id: NamespaceID) -> Bool { id == start.id }

  /// Finds the namespace in charge.
  ///
  /// - Parameter opened: the namespace to start from, already visited.
  /// - Returns: the furthest namespace that can be used, and the obstacle to the next one.
  /// - Throws: system errors.
  mutating func run(
    from opened: NamespaceID
  ) throws(BackupFolderError) -> (NamespaceID, SuccessionObstacle?) {
    for known in keys.values.sorted(by: { $0.namespaceID < $1.namespaceID })
    where stops[known.namespaceID] == nil && trusted.contains(known.namespaceID) {
      try open(known)
    }
    let first = base(of: opened)
    trusted.insert(first)
    let path = path(to: first)
    // The namespaces it follows lie behind it, whatever their logs say.
    let behind = closure(first).subtracting([first])
    var passed = behind.subtracting(path)
    var obstacle: SuccessionObstacle?
    let end = try go(from: path[0], behind, &passed, &obstacle) ?? first
    // What is left of the one that was opened is enough where another one follows it.
    if first != opened, isFinished(opened), end == first || !closure(end).contains(opened) {
      if obstacle?.isMissingKey != true { obstacle = .notHere(opened) }
      givenUp = first
    }
    if obstacle == nil, let next = remembered(after: end) { obstacle = .notHere(next) }
    return (end, obstacle)
  }

  /// A namespace to which another rotation led, and whose contents cannot be shown; nil: there is none.
  ///
  /// The search for the namespace in charge ends at the lowest ID and does not look at the others. They
  /// may hold what was written after that rotation.
  ///
  /// - Parameter end: the namespace in charge.
  /// - Returns: why it cannot be opened; one that is not here is left out.
  /// - Throws: system errors.
  mutating func unreadRival(
    of end: NamespaceID
  ) throws(BackupFolderError) -> SuccessionObstacle? {
    let followed = closure(end)
    let read = trusted.reduce(into: Set()) { $0.formUnion(closure($1)) }
    var looked = followed
    var next = followed.sorted()
    while let older = next.popLast() {
      for id in successors(of: older) where !followed.contains(id) {
        // It is read, as one of those that are not followed. It may have been rotated, too.
        if stops[id] != nil, read.contains(id) {
          if looked.insert(id).inserted { next.append(id) }
          continue
        }
        let obstacle = try enter(id)
        switch obstacle {
        case .noKey: return obstacle
        case nil where stops[id]?.links.follows(older) == true: return .uncompared(id)
        default: continue
        }
      }
    }
    return nil
  }

  private func isTrusted(_ id: NamespaceID) -> Bool {
    trusted.contains(id) || compared == id || (try? localState(of: id))?.isTrusted == true
  }

  private func localState(of id: NamespaceID) throws(BackupFolderError) -> LocalState {
    try start.state(make: false).localState(of: id)
  }

  /// A namespace, or the one from which an interrupted rotation was carrying over into it.
  ///
  /// The source stays authoritative until the rotation finishes. While carried-over versions are
  /// missing here, they would seem to be lost.
  private func base(of id: NamespaceID) -> NamespaceID {
    var here = id
    var passed: Set<NamespaceID> = []
    while passed.insert(here).inserted, !isFinished(here) || !isAllHere(here),
      let source = sources(of: here).first(where: { !passed.contains($0) })
    {
      here = source
    }
    return here
  }

  /// The namespaces here that this one follows.
  private func sources(of id: NamespaceID) -> [NamespaceID] {
    (stops[id]?.links.earlier.map(\.namespaceID) ?? []).filter { stops[$0] != nil }.sorted()
  }

  /// Whether the rotation that created a namespace has finished.
  ///
  /// The namespace itself says so, an earlier one does, or this computer saw it.
  private func isFinished(_ id: NamespaceID) -> Bool {
    guard let links = stops[id]?.links, !links.earlier.isEmpty else { return true }
    if links.isSettled || compared == id { return true }
    if sources(of: id).contains(where: { successors(of: $0).contains(id) }) { return true }
    guard let localState = try? localState(of: id) else { return false }
    return localState.isTrusted && localState.rotatingFrom == nil
  }

  /// The namespaces that led to this one, the first one first; successors may diverge there.
  private func path(to id: NamespaceID) -> [NamespaceID] {
    var path = [id]
    while let here = path.last,
      let older = sources(of: here).first(where: {
        !path.contains($0) && successors(of: $0).contains(here)
      })
    {
      path.append(older)
    }
    return path.reversed()
  }

  private func successors(of id: NamespaceID) -> [NamespaceID] {
    Set(stops[id]?.links.successors.map(\.id) ?? []).sorted()
  }

  /// Follows `moved` to the namespace in charge: of several, the lowest ID from which successors
  /// lead to a trusted one.
  ///
  /// - Parameters:
  ///   - here: the namespace to start from.
  ///   - behind: namespaces that cannot be the result.
  ///   - passed: namespaces that must not be entered; receives the entered ones.
  ///   - obstacle: receives the first obstacle.
  /// - Returns: nil where the last namespace is not trusted.
  /// - Throws: system errors.
  private mutating func go(
    from here: NamespaceID, _ behind: Set<NamespaceID>, _ passed: inout Set<NamespaceID>,
    _ obstacle: inout SuccessionObstacle?
  ) throws(BackupFolderError) -> NamespaceID? {
    var isEnd = true
    for id in successors(of: here) where !passed.contains(id) {
      let found = try enter(id)
      // Only a holder of its master key can have written that it follows this one.
      let follows = stops[id]?.links.follows(here) == true
      // One that others follow may have been deleted, but for what has to stay. It leads on, and is not
      // the result.
      let leadsOn = follows && !successors(of: id).isEmpty
      if let found, !leadsOn {
        if !behind.contains(id) { obstacle = obstacle ?? found }
        continue
      }
      guard follows else { continue }
      passed.insert(id)
      isEnd = false
      let past = found == nil ? behind : behind.union([id])
      if let end = try go(from: id, past, &passed, &obstacle) { return end }
      if let found, !behind.contains(id) { obstacle = obstacle ?? found }
    }
    if behind.contains(here) { return nil }
    if isTrusted(here) { return here }
    if isEnd { obstacle = obstacle ?? .uncompared(here) }
    return nil
  }

  /// The remembered successor of a namespace whose log does not name one any more.
  private func remembered(after id: NamespaceID) -> NamespaceID? {
    guard successors(of: id).isEmpty, let next = (try? localState(of: id))?.movedTo, next != id
    else { return nil }
    let isKnown = (try? localState(of: next))?.operations.isEmpty == false
    return isKnown || (try? start.sibling(next)) != nil ? next : nil
  }

  /// Opens a namespace that another one names.
  private mutating func enter(
    _ id: NamespaceID
  ) throws(BackupFolderError) -> SuccessionObstacle? {
    guard try start.sibling(id) != nil else { return .notHere(id) }
    // A box may also be in a rival's log.
    let named = stops.values.flatMap(\.links.successors).filter { $0.id == id }
    if keys[id] == nil {
      guard let key = openBox(of: named) else {
        return .noKey(id, boxes: named.flatMap(\.boxes).map(\.keyID))
      }
      keys[id] = key
    }
    if stops[id] == nil, let key = keys[id] {
      if stops.count >= Self.mostStops { return .notHere(id) }
      try open(key)
    }
    return isWhole(id, named) ? nil : .notHere(id)
  }

  private mutating func open(_ known: SharedMasterKey) throws(BackupFolderError) {
    guard let sibling = try start.sibling(known.namespaceID) else { return }
    var open = OpenNamespace(
      sibling, masterKey: known.key.copy(), by: nil, purpose: .reading)
    try open.load()
    visit(open)
  }

  private func openBox(of named: [LogLinks.Successor]) -> SharedMasterKey? {
    for successor in named {
      for box in successor.boxes {
        for slot in slots where slot.keyID == box.keyID {
          guard
            let key = try? MasterKey(opening: box.box, secret: slot.secret, keyID: slot.keyID),
            key.namespaceID == successor.id
          else { continue }
          return SharedMasterKey(key)
        }
      }
    }
    return nil
  }

  /// Whether all carried-over operations are here.
  private func isWhole(_ id: NamespaceID, _ named: [LogLinks.Successor]) -> Bool {
    guard let nodes = stops[id]?.index.nodes else { return false }
    func isWhole(_ digest: Digest) -> Bool {
      nodes.place(of: digest).map { nodes.isWhole($0) } ?? false
    }
    return named.contains { successor in
      guard let last = nodes.place(of: successor.last.digest), nodes.isWhole(last) else {
        return false
      }
      return nodes[last].seen.allSatisfy { isWhole($0.digest) }
    }
  }

  /// Whether all operations carried over into a namespace are here.
  ///
  /// The earlier namespaces tell this, or otherwise the namespace itself.
  private func isAllHere(_ id: NamespaceID) -> Bool {
    let named = stops.values.flatMap(\.links.successors).filter { $0.id == id }
    if !named.isEmpty { return isWhole(id, named) }
    guard let stop = stops[id] else { return false }
    let nodes = stop.index.nodes
    return stop.links.nodes.allSatisfy { place in
      nodes.isWhole(place)
        && nodes[place].seen.allSatisfy { nodes.place(of: $0.digest).map(nodes.isWhole) ?? false }
    }
  }

  // MARK: What lies beside the path

  /// A namespace and all that it follows.
  private func closure(_ id: NamespaceID) -> Set<NamespaceID> {
    var all: Set<NamespaceID> = []
    var next = [id]
    while let here = next.popLast() {
      guard all.insert(here).inserted else { continue }
      next += stops[here]?.links.earlier.map(\.namespaceID) ?? []
    }
    return all
  }

  /// The master keys of namespaces of the same backup that the one in charge does not follow; their
  /// contents are shown as late.
  ///
  /// Rotations on two computers that did not know each other create such namespaces. So does one
  /// whose `moved` is missing or was never written.
  func others(than id: NamespaceID) -> [SharedMasterKey] {
    let followed = closure(id)
    return keys.values.filter {
      !followed.contains($0.namespaceID) && stops[$0.namespaceID] != nil
        && trusted.contains($0.namespaceID)
    }.sorted { $0.namespaceID < $1.namespaceID }
  }

  /// The namespaces among ``others(than:)`` that a rotation has finished.
  ///
  /// One that follows this namespace is no rival: the `moved` that leads there has not arrived. This
  /// namespace must never follow it.
  func rivals(of id: NamespaceID) -> Set<NamespaceID> {
    let finished = stops.flatMap { (older, stop) in
      stop.links.successors.filter {
        isWhole($0.id, [$0]) && stops[$0.id]?.links.follows(older) == true
      }.map(\.id)
    }
    return Set(others(than: id).map(\.namespaceID)).intersection(finished).filter {
      !closure($0).contains(id)
    }
  }

  /// Whether a namespace has a successor other than a rival.
  func isSuperseded(_ id: NamespaceID) -> Bool {
    !successors(of: id).isEmpty || id == givenUp || remembered(after: id) != nil
  }

  /// Every namespace that is known to belong to the same backup.
  var related: Set<NamespaceID> {
    stops.values.reduce(into: Set(keys.keys)) { $0.formUnion($1.links.successors.map(\.id)) }
  }

  /// Remembers which namespace this computer found in charge.
  func remember(
    _ id: NamespaceID, of start: Namespace
  ) throws(BackupFolderError) {
    guard stops.count > 1, isTrusted(id) else { return }
    let followed = closure(id).subtracting([id])
    let passed = followed.union(rivals(of: id)).filter { stops[$0] != nil }
    func news(_ state: StateFolder) throws(BackupFolderError) -> [NamespaceID: LocalState] {
      var news: [NamespaceID: LocalState] = [:]
      var own = try state.localState(of: id)
      let isDone = own.rotatingFrom.map { followed.contains($0) } ?? false
      if !own.isTrusted || own.earlier != followed || own.movedTo != nil || isDone {
        own.isTrusted = true
        // An interrupted rotation had written everything.
        if isDone { (own.rotatingFrom, own.rotatingWriters) = (nil, []) }
        own.earlier = followed
        own.movedTo = nil
        news[id] = own
      }
      for older in passed {
        var localState = try state.localState(of: older)
        if localState.movedTo == id { continue }
        localState.movedTo = id
        news[older] = localState
      }
      return news
    }
    if let state = try? start.state(make: false), try news(state).isEmpty { return }
    let state = try start.state(make: true)
    let lock = try state.lock(patience: FileLock.readersPatience)
    var changed = try news(state)
    // The one in charge first: a run that is killed in between leaves one that can be opened.
    if let own = changed.removeValue(forKey: id) { try state.save(own, of: id) }
    for (id, localState) in changed { try state.save(localState, of: id) }
    _ = consume lock
  }
}
