/// The meaning of the files that are here, by the rules of reading.
struct Reading {
  let folder: Folder
  let namespace: Int
  let log: NamespaceLog
  /// The namespace that this one follows.
  let earlier: NamespaceLog?
  /// Every version that counts, late ones too.
  var versions: [Version] { graph.versions }
  /// The versions that another one, a removal or a settlement replaces, by their places.
  var isDead: [Bool] { graph.isDead }
  /// The versions that each version replaces, by their places.
  var replaced: [[Int]] { graph.replaced }
  private var graph: Graph
  /// The versions of operations that a retirement holds back.
  private(set) var heldBack: [Version] = []
  private(set) var dropped: Set<Int> = []
  /// Whether an operation, or a version that another one replaces, is missing.
  private(set) var missing: Set<Name> = []
  private(set) var retirementsHere: [Retirement] = []
  /// Removals by silent writers that are not all their own.
  private(set) var wishes: [Name] = []

  init(_ folder: Folder, namespace: Int) {
    self.folder = folder
    self.namespace = namespace
    let everything = folder.replica.arrived.filter { !folder[$0].isSealed }
    let carried = namespace == 0 ? nil : Self.carried(everything, folder)
    let own = everything.filter { folder[$0].namespace == namespace }
    var retirements = folder.retirements(in: own)
    if namespace > 0 {
      let before = everything.filter {
        guard folder[$0].namespace < namespace else { return false }
        return carried?.contains($0) ?? true
          ? folder.rules.lack(.retirementsCarried) : folder.rules.lack(.retiresNothing)
      }
      retirements += folder.retirements(in: before)
    }
    log = NamespaceLog(namespace, folder, carried: nil, retirements: retirements)
    earlier =
      namespace == 0
      ? nil : NamespaceLog(0, folder, carried: carried, retirements: retirements)
    graph = Graph(folder: folder)
    var before = Graph(folder: folder)
    graph.add(log, retirements)
    if let earlier {
      before.add(earlier, [])
      before.resolve()
      graph.addLate(of: before)
    }
    graph.resolve()
    wishes = graph.wishes + before.wishes
    heldBack = (before.heldBack + graph.heldBack).filter { held in
      !graph.answers(held) && !before.answers(held)
    }
    dropped = graph.dropped.union(before.dropped)
    retirementsHere = retirements
    missing = log.missing.union(earlier?.missing ?? [])
    missing.formUnion(graph.missing.union(before.missing))
  }

  /// The operations of the earlier namespace that were carried into this one; nil for all.
  private static func carried(_ ordinary: [Name], _ folder: Folder) -> Set<Name>? {
    if folder.rules.lack(.carriedEnds) { return nil }
    var carried: Set<Name> = []
    var isTold = false
    for name in ordinary {
      for case .from(let ends?) in folder[name].changes {
        isTold = true
        for end in ends {
          var next: Name? = end
          while let name = next, folder.replica.has(name), carried.insert(name).inserted {
            next = folder[name].previous
          }
        }
      }
    }
    return isTold || folder.rules.hold(.untoldCarriesNothing) ? carried : nil
  }

  /// The places of the live versions of a file.
  func live(_ file: Int) -> [Int] {
    versions.indices.filter { versions[$0].file == file && !isDead[$0] && isThere($0) }
  }

  private func isThere(_ place: Int) -> Bool {
    folder.rules.hold(.liveNotDropped) || !dropped.contains(versions[place].object)
  }

  /// The operations whose versions a version replaces, directly or through its own.
  func reached(from place: Int) -> [Name] {
    graph.reached(from: place).filter { $0 != versions[place].made }
  }

  /// The versions that replace a version, directly or through others.
  func newer(than place: Int) -> Int {
    var found: Set<Int> = []
    var next = [place]
    while let target = next.popLast() {
      for (other, targets) in replaced.enumerated()
      where targets.contains(target) && found.insert(other).inserted {
        next.append(other)
      }
    }
    return Set(found.map { versions[$0].made }).subtracting([versions[place].made]).count
  }
}

/// One `file-put` that counts.
struct Version: Equatable {
  /// The operation that holds it.
  let name: Name
  let namespace: Int
  let file: Int
  /// The operation that first had it.
  let made: Name
  /// The signing key of that operation; nil for an ordinary one.
  let by: Int?
  let content: Int
  let object: Int
  let isSmall: Bool
  var replaces: [Name]
  let kind: Kind
  var isLate = false

  enum Kind: Equatable {
    /// A silent writer's own.
    case sealed
    /// An ordinary operation's own, or one that a person chose.
    case decision
    /// States that a version is there: carried or adopted.
    case finding
  }

  /// The key whose versions its `replaces` reach wherever they were copied to.
  var speaksFor: Int? { kind == .decision ? nil : by }
}
