/// The versions of files in one namespace, and what replaces what.
struct Graph {
  let folder: Folder
  private(set) var versions: [Version] = []
  private(set) var heldBack: [Version] = []
  private(set) var isDead: [Bool] = []
  private(set) var replaced: [[Int]] = []
  private(set) var dropped: Set<Int> = []
  private(set) var wishes: [Name] = []
  /// What versions replace or are copies of, and is not here.
  private(set) var missing: Set<Name> = []
  /// Removals and settlements.
  private var endings: [Ending] = []

  private struct Ending {
    let name: Name
    let file: Int
    let replaces: [Name]
    /// The key of a silent writer.
    let key: Int?
  }

  init(folder: Folder) { self.folder = folder }

  /// Adds what a namespace's log says.
  mutating func add(_ log: NamespaceLog, _ retirements: [Retirement]) {
    for name in log.ordinary {
      let operation = folder[name]
      let isBeyond = log.beyond.contains(name)
      for change in operation.changes {
        switch change {
        case .filePut(var put):
          if isBeyond, folder.rules.hold(.onlyAdds) { put.replaces = [] }
          if isBeyond, folder.rules.hold(.madeIgnored) { (put.made, put.by) = (nil, nil) }
          let version = Version(
            name: name, namespace: log.namespace, file: put.file, made: put.made ?? name,
            by: put.by, content: put.content, object: put.object, isSmall: put.isSmall,
            replaces: put.replaces, kind: operation.isFinding ? .finding : .decision)
          if folder.holdsBack(version, retirements) {
            heldBack.append(version)
          } else {
            versions.append(version)
          }
        case .fileRemove(let file, let names), .fileSettle(let file, let names):
          if isBeyond, folder.rules.hold(.onlyAdds) { continue }
          endings.append(Ending(name: name, file: file, replaces: names, key: nil))
        case .fileDrop(let objects):
          if !isBeyond || folder.rules.lack(.onlyAdds) { dropped.formUnion(objects) }
        default: break
        }
      }
    }
    for name in log.counting { add(sealed: name) }
    for name in log.heldBack {
      for case .filePut(let put) in folder[name].changes {
        if let version = version(sealed: name, put) { heldBack.append(version) }
      }
    }
  }

  private mutating func add(sealed name: Name) {
    for change in folder[name].changes {
      switch change {
      case .filePut(let put):
        if let version = version(sealed: name, put) { versions.append(version) }
      case .fileRemove(let file, let names):
        endings.append(Ending(name: name, file: file, replaces: names, key: folder[name].key))
      default: break
      }
    }
  }

  private func version(sealed name: Name, _ put: FilePut) -> Version? {
    let operation = folder[name]
    let isClaimed = put.made != nil || put.by != nil
    if isClaimed, folder.rules.hold(.madeNotSealed) { return nil }
    let number = operation.changes.count {
      if case .filePut(let other) = $0 { other.file == put.file } else { false }
    }
    if number > 1, folder.rules.hold(.onePut) { return nil }
    var replaces = put.replaces
    if folder.rules.lack(.filesNotByCoverage) {
      var next = operation.previous
      while let earlier = next, folder.replica.has(earlier) {
        replaces.append(earlier)
        next = folder[earlier].previous
      }
    }
    return Version(
      name: name, namespace: operation.namespace, file: put.file, made: put.made ?? name,
      by: put.by ?? operation.key, content: put.content, object: put.object, isSmall: put.isSmall,
      replaces: replaces, kind: .sealed)
  }

  /// Adds the late versions of the namespace that this one follows.
  mutating func addLate(of before: Graph) {
    let known = Set(versions.map { [$0.made, $0.file, $0.content] })
    for place in before.versions.indices where !before.isDead[place] {
      var late = before.versions[place]
      if known.contains([late.made, late.file, late.content]) { continue }
      late.isLate = true
      late.replaces =
        folder.rules.hold(.lateReplaces)
        ? before.reached(from: place).filter { $0 != late.made } : []
      versions.append(late)
    }
  }

  /// Whether a person has decided about a version that is held back, or it is live all the same.
  func answers(_ held: Version) -> Bool {
    versions.indices.contains { place in
      versions[place].made == held.made && versions[place].file == held.file
        && (versions[place].kind == .decision || !isDead[place])
    }
  }

  /// The operations whose versions a version replaces, directly or through its own.
  ///
  /// A live version was chosen by a person, and not replaced.
  func reached(from place: Int) -> [Name] {
    var names: Set<Name> = []
    var (next, visited) = ([place], Set([place]))
    while let from = next.popLast() {
      names.formUnion(versions[from].replaces.filter { isEffective($0, of: versions[from]) })
      for target in replaced[from] where visited.insert(target).inserted { next.append(target) }
    }
    for other in versions.indices where versions[other].file == versions[place].file {
      if !isDead[other] { names.remove(versions[other].made) }
    }
    return names.sorted()
  }

  /// Whether a name may reach something: a missing one may, another key's version may not.
  private func isEffective(_ name: Name, of version: Version) -> Bool {
    guard let key = version.speaksFor, folder.rules.hold(.sameKey) else { return true }
    let named = versions.filter { $0.made == name && $0.file == version.file }
    return named.isEmpty || named.contains { $0.by == key }
  }

  /// Finds out which versions are replaced.
  mutating func resolve() {
    replaced = versions.map { _ in [] }
    var byCopy: [(from: Int, to: Int)] = []
    for from in versions.indices {
      for to in versions.indices where from != to && versions[from].file == versions[to].file {
        switch hit(versions[from], versions[to]) {
        case .byName: replaced[from].append(to)
        case .byCopy:
          replaced[from].append(to)
          byCopy.append((from, to))
        case nil: break
        }
      }
      let named = versions[from].replaces + [versions[from].made]
      missing.formUnion(named.filter { !folder.replica.has($0) })
    }
    if folder.rules.hold(.cycles) {
      // A version that a person chose reaches back through what the choice put aside.
      let circular = byCopy.filter { reaches($0.to, $0.from) }
      for edge in circular { replaced[edge.from].removeAll { $0 == edge.to } }
    }
    isDead = versions.map { _ in false }
    for targets in replaced { for target in targets { isDead[target] = true } }
    for ending in endings { apply(ending) }
  }

  private func reaches(_ start: Int, _ end: Int) -> Bool {
    var (next, visited) = ([start], Set([start]))
    while let place = next.popLast() {
      if place == end { return true }
      for target in replaced[place] where visited.insert(target).inserted { next.append(target) }
    }
    return false
  }

  private enum Hit { case byName, byCopy }

  private func hit(_ one: Version, _ other: Version) -> Hit? {
    if let key = one.speaksFor {
      guard one.replaces.contains(other.made), one.made != other.made else { return nil }
      guard other.by == key || folder.rules.lack(.sameKey) else { return nil }
      return other.kind == .decision ? .byCopy : .byName
    }
    return names(one.replaces, other) ? .byName : nil
  }

  /// Whether an ordinary operation's names reach a version.
  private func names(_ names: [Name], _ version: Version) -> Bool {
    if names.contains(version.name) { return true }
    guard names.contains(version.made) else { return false }
    return version.kind == .finding
      ? folder.rules.hold(.findings) : folder.rules.lack(.decisionsByName)
  }

  private mutating func apply(_ ending: Ending) {
    let named = versions.indices.filter { place in
      let version = versions[place]
      guard version.file == ending.file else { return false }
      return ending.key == nil
        ? names(ending.replaces, version) : ending.replaces.contains(version.made)
    }
    if let key = ending.key, folder.rules.hold(.wishes),
      !named.allSatisfy({ versions[$0].by == key })
    {
      wishes.append(ending.name)
      return
    }
    for place in named { isDead[place] = true }
  }
}
