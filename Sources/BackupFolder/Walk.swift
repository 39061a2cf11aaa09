internal import CSPP
internal import SecretMemory

/// The way from one namespace to the one in charge.
struct Walk {
  private struct Stop {
    let links: LogLinks
    let index: LogIndex
  }

  private let start: Namespace
  private let ways: [WaySecret]
  private let compared: NamespaceID?
  private var stops: [NamespaceID: Stop] = [:]
  /// The master keys that are known.
  private(set) var keys: [NamespaceID: SharedMasterKey] = [:]
  /// Namespaces that a way in at hand opened, and what those follow.
  private var trusted: Set<NamespaceID> = []

  init(from start: Namespace, ways: [WaySecret], compared: NamespaceID?) {
    self.start = start
    self.ways = ways
    self.compared = compared
  }

  /// Takes a master key that a way in gave.
  mutating func take(_ key: SharedMasterKey) {
    keys[key.namespaceID] = key
    trusted.insert(key.namespaceID)
  }

  /// Takes over what an open namespace says, and those before it.
  mutating func note(_ open: borrowing OpenNamespace, isTrusted: Bool) {
    if isTrusted { trusted.insert(open.id) }
    stops[open.id] = Stop(links: open.log.links, index: open.log.index)
    for known in open.log.links.earlier {
      if keys[known.namespaceID] == nil { keys[known.namespaceID] = known }
      if isTrusted { trusted.insert(known.namespaceID) }
    }
    for older in open.earlier { note(older.open, isTrusted: isTrusted) }
  }

  /// Whether the way in that opened the first namespace opens this one too.
  func opens(_ id: NamespaceID) -> Bool { id == start.id }

  /// Goes to the one in charge.
  ///
  /// - Parameter opened: where to begin; noted.
  /// - Returns: the furthest namespace that can be used, and what keeps from
  ///   going on.
  /// - Throws: system errors.
  mutating func run(
    from opened: NamespaceID
  ) throws(BackupFolderError) -> (NamespaceID, SuccessionObstacle?) {
    for known in keys.values.sorted(by: { $0.namespaceID < $1.namespaceID })
    where stops[known.namespaceID] == nil && trusted.contains(known.namespaceID) {
      try open(known, isTrusted: true)
    }
    var path = [root(of: opened)]
    let obstacle = try go(&path)
    let end = path[path.count - 1]
    if isTrusted(end) { return (end, obstacle) }
    let last = path.last { isTrusted($0) } ?? opened
    return (last, .uncompared(end))
  }

  private func isTrusted(_ id: NamespaceID) -> Bool {
    if trusted.contains(id) || compared == id { return true }
    guard let state = try? start.state(make: false) else { return false }
    return (try? state.memory(of: id).isTrusted) ?? false
  }

  /// The namespace from which all others come, as far as they are here.
  private func root(of id: NamespaceID) -> NamespaceID {
    var here = id
    var passed: Set<NamespaceID> = [id]
    while let older = stops[here]?.links.earlier.map(\.namespaceID)
      .filter({ stops[$0] != nil && !passed.contains($0) }).min()
    {
      here = older
      passed.insert(older)
    }
    return here
  }

  private func successors(of id: NamespaceID) -> [NamespaceID] {
    Set(stops[id]?.links.successors.map(\.id) ?? []).sorted()
  }

  /// Follows `moved` as far as possible; where the lowest ID is out of reach, the
  /// next one.
  private mutating func go(
    _ path: inout [NamespaceID]
  ) throws(BackupFolderError) -> SuccessionObstacle? {
    var first: SuccessionObstacle?
    while true {
      let here = path[path.count - 1]
      var next: NamespaceID?
      for id in successors(of: here) where next == nil && !path.contains(id) {
        if let obstacle = try enter(id) {
          first = first ?? obstacle
        } else {
          next = id
        }
      }
      guard let next else { return first }
      path.append(next)
    }
  }

  /// Opens a namespace that another one names.
  private mutating func enter(
    _ id: NamespaceID
  ) throws(BackupFolderError) -> SuccessionObstacle? {
    guard try start.sibling(id) != nil else { return .notHere(id) }
    // A box may also wait in a rival's log.
    let named = stops.values.flatMap(\.links.successors).filter { $0.id == id }
    if keys[id] == nil {
      guard let key = openBox(of: named) else {
        return .noKey(id, boxes: named.flatMap(\.boxes).map(\.keyID))
      }
      keys[id] = key
    }
    if stops[id] == nil, let key = keys[id] { try open(key, isTrusted: false) }
    return isWhole(id, named) ? nil : .notHere(id)
  }

  private mutating func open(
    _ known: SharedMasterKey, isTrusted: Bool
  ) throws(BackupFolderError) {
    guard let sibling = try start.sibling(known.namespaceID) else { return }
    var open = OpenNamespace(
      sibling, masterKey: known.key.copy(), by: nil, purpose: .reading)
    try open.load()
    note(open, isTrusted: isTrusted)
  }

  private func openBox(of named: [LogLinks.Successor]) -> SharedMasterKey? {
    for successor in named {
      for box in successor.boxes {
        for way in ways where way.keyID == box.keyID {
          guard
            let key = try? MasterKey(opening: box.box, secret: way.secret, keyID: way.keyID),
            key.namespaceID == successor.id
          else { continue }
          return SharedMasterKey(key)
        }
      }
    }
    return nil
  }

  /// Whether all is here that was carried over.
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

  // MARK: What lies beside the way

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

  /// The master keys of namespaces of the same backup that the one in charge does
  /// not follow: what is in them is shown as late.
  ///
  /// Rotations on two computers that did not know of each other make such, and so
  /// does one whose `moved` is not here, or never was written.
  func others(than id: NamespaceID) -> [SharedMasterKey] {
    let followed = closure(id)
    return keys.values.filter {
      !followed.contains($0.namespaceID) && stops[$0.namespaceID] != nil
        && trusted.contains($0.namespaceID)
    }.sorted { $0.namespaceID < $1.namespaceID }
  }

  /// Those of them that a rotation has finished.
  func rivals(of id: NamespaceID) -> Set<NamespaceID> {
    let finished = stops.values.flatMap { stop in
      stop.links.successors.filter { isWhole($0.id, [$0]) }.map(\.id)
    }
    return Set(others(than: id).map(\.namespaceID)).intersection(finished)
  }

  /// Whether something else than a rival follows a namespace.
  func isSuperseded(_ id: NamespaceID) -> Bool { !successors(of: id).isEmpty }

  /// Every namespace that is known to belong to the same backup.
  var related: Set<NamespaceID> {
    stops.values.reduce(into: Set(keys.keys)) { $0.formUnion($1.links.successors.map(\.id)) }
  }

  /// Remembers where this computer found the one in charge.
  func remember(
    _ id: NamespaceID, of start: Namespace
  ) throws(BackupFolderError) {
    guard stops.count > 1, isTrusted(id) else { return }
    let followed = closure(id).subtracting([id])
    let passed = followed.union(rivals(of: id)).filter { stops[$0] != nil }
    func news(_ state: StateFolder) throws(BackupFolderError) -> [NamespaceID: Memory] {
      var news: [NamespaceID: Memory] = [:]
      var own = try state.memory(of: id)
      let isDone = own.rotatingFrom.map { followed.contains($0) } ?? false
      if !own.isTrusted || own.earlier != followed || own.movedTo != nil || isDone {
        own.isTrusted = true
        // An interrupted rotation had written all.
        if isDone { (own.rotatingFrom, own.rotatingWriters) = (nil, []) }
        own.earlier = followed
        own.movedTo = nil
        news[id] = own
      }
      for older in passed {
        var memory = try state.memory(of: older)
        if memory.movedTo == id { continue }
        memory.movedTo = id
        news[older] = memory
      }
      return news
    }
    if let state = try? start.state(make: false), try news(state).isEmpty { return }
    let state = try start.state(make: true)
    let lock = try state.lock(patience: FileLock.readersPatience)
    for (id, memory) in try news(state) { try state.save(memory, of: id) }
    _ = consume lock
  }
}
