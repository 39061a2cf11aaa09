// This folder is for the rules by which versions of files are read (docs/format.md, *Which version
// counts*): what replaces what, and what a retirement holds back. It works on names and digests. No
// contents are read here, and no file is opened.

internal import CSPP

/// The versions of all files of a namespace, and what replaces what.
struct FileVersions {
  /// One `file-put` that counts.
  struct Version {
    /// The role of a version's operation.
    enum Kind {
      /// A silent writer's own.
      case sealed
      /// An ordinary operation's own, or one that a person chose.
      case decision
      /// It states that a version is there: carried or adopted.
      case finding
    }

    let operation: Operation.Seen
    /// The index among the operation's changes.
    let place: Int
    let at: UInt64
    var put: FilePut
    /// The operation that first held the version.
    let made: Digest
    /// The signing key of that operation; nil for an ordinary one.
    let by: SigningKey?
    let kind: Kind
    /// The earlier namespace that holds it, for a late one; nil for this one.
    var namespace: NamespaceID?

    /// The key whose versions its `replaces` reach wherever they were copied to.
    ///
    /// Nil if it names operations, each for its own version.
    var speaksFor: SigningKey? { kind == .decision ? nil : by }
    var key: Key { Key(name: operation.digest, file: put.fileID) }
    var madeKey: Key { Key(name: made, file: put.fileID) }

    func isShown(as version: StoredVersion) -> Bool {
      operation.digest == version.operation.digest && put.fileID == version.file
    }
  }

  /// An operation's version of a file.
  struct Key: Hashable {
    let name: Digest
    let file: FileID
  }

  /// A removal or settlement.
  private struct Ending {
    let operation: Digest
    let file: FileID
    let replaces: [Digest]
    let isRemoval: Bool
    /// The key of a silent writer.
    let key: SigningKey?
  }

  var versions: [Version] = []
  /// Versions that a retirement holds back, and on which nobody has decided.
  var heldBack: [Version] = []
  /// Those against which a person has decided, and whether by removing the file.
  private(set) var refused: [(version: Version, isRemoved: Bool)] = []
  /// For each of ``versions``, whether another one, a removal or a settlement replaces it.
  private(set) var isDead: [Bool] = []
  /// For each of ``versions``, whether only removals end it.
  private(set) var isRemoved: [Bool] = []
  /// For each of ``versions``, whether it was given up and no longer counts.
  private(set) var isDropped: [Bool] = []
  /// The places of the versions that each version replaces.
  private(set) var replaced: [[Int32]] = []
  /// The places of the versions that replace each version.
  private(set) var replacedBy: [[Int32]] = []
  /// The places of each file's versions.
  private(set) var places: [FileID: [Int]] = [:]
  /// Operations that versions of a file replace or are copies of, and that are not here.
  var missing: [FileID: Set<Digest>] = [:]
  /// Removals by silent writers of what is not all their own: wishes, which have no effect.
  var wishes: [(operation: Digest, file: FileID)] = []
  /// Every version that is here or in a namespace that this one follows.
  var identities: Set<Identity> = []
  private var endings: [Ending] = []
  private var drops: Set<Key> = []
  private var byName: [Key: [Int32]] = [:]
  private(set) var byMade: [Key: [Int32]] = [:]

  /// No versions.
  init() {}

  /// Applies the rules to what is here.
  ///
  /// - Parameters:
  ///   - log: the ordinary operations.
  ///   - sealed: the sealed ones.
  ///   - earlier: the files of the namespaces before this one.
  init(_ log: OperationLog, _ sealed: SealedLog, after earlier: [EarlierFiles] = []) {
    if log.files.isEmpty, sealed.entries.isEmpty, earlier.isEmpty { return }
    let known = log.files.retirements.filter { !log.index.isBeyond($0.operation.digest) }
    let retirements = Dictionary(grouping: known, by: \.key)
    let chains = [sealed] + earlier.flatMap(\.sealed)
    // What counted in an earlier namespace was known to the retirement there.
    let counted =
      known.isEmpty
      ? [] : Set(earlier.filter(\.isFollowed).flatMap { $0.versions.versions.map { Identity($0) } })
    for change in log.files.changes { add(change, retirements, log, chains, counted) }
    for place in sealed.entries.indices { add(sealed, place) }
    addLate(of: earlier)
    for (place, version) in versions.enumerated() {
      places[version.put.fileID, default: []].append(place)
      byName[version.key, default: []].append(Int32(place))
      byMade[version.madeKey, default: []].append(Int32(place))
    }
    resolve()
    findMissing(log, sealed, earlier)
    heldBack.removeAll { held in
      (byMade[held.madeKey] ?? []).contains { place in
        versions[Int(place)].kind == .decision || !isDead[Int(place)]
      }
    }
    refuse()
  }

  // MARK: What counts

  private mutating func add(
    _ logged: FileRecords.Change, _ retirements: [SigningKey: [FileRecords.Retirement]],
    _ log: OperationLog, _ chains: [SealedLog], _ counted: Set<Identity>
  ) {
    let name = logged.operation.digest
    let isBeyond = log.index.isBeyond(name)
    switch logged.change {
    case .put(let put):
      // A key that was given up only adds: see docs/decisions/0026.
      let shown = isBeyond ? put.alone : put
      let version = Version(
        operation: logged.operation, place: logged.place, at: logged.at, put: shown,
        made: shown.origin?.made ?? name, by: shown.origin?.by,
        kind: logged.isFinding ? .finding : .decision)
      if !counted.contains(Identity(version)), Self.isHeldBack(version, retirements, log, chains) {
        heldBack.append(version)
      } else {
        versions.append(version)
      }
    case _ where isBeyond: break
    case .settle(let file, let replaces):
      endings.append(
        Ending(operation: name, file: file, replaces: replaces, isRemoval: false, key: nil))
    case .remove(let file, let replaces):
      endings.append(
        Ending(operation: name, file: file, replaces: replaces, isRemoval: true, key: nil))
    case .drop(let file, let dropped):
      for version in dropped { drops.insert(Key(name: version, file: file)) }
    }
  }

  /// Whether a retirement holds back an adopted version, because its adopter did not know it.
  private static func isHeldBack(
    _ version: Version, _ retirements: [SigningKey: [FileRecords.Retirement]],
    _ log: OperationLog, _ chains: [SealedLog]
  ) -> Bool {
    guard version.kind == .finding, let key = version.by else { return false }
    return (retirements[key] ?? []).contains { retirement in
      let isKnown = chains.contains { sealed in
        sealed.place(of: version.made).map { sealed.covers(retirement.pieces, $0) } ?? false
      }
      if isKnown { return false }
      return !log.index.covers(retirement.operation.digest, version.operation.digest)
    }
  }

  private mutating func add(_ sealed: SealedLog, _ place: Int) {
    let entry = sealed.entries[place]
    for (index, change) in entry.changes {
      guard case .file(let change) = change else { continue }
      switch change {
      case .put(let put):
        let version = Version(
          operation: entry.reference, place: index, at: entry.at ?? 0, put: put,
          made: entry.reference.digest, by: entry.writer.signingKey, kind: .sealed)
        if sealed.isHeldBack[place] {
          heldBack.append(version)
        } else {
          versions.append(version)
        }
      case .remove(let file, let replaces) where !sealed.isHeldBack[place]:
        endings.append(
          Ending(
            operation: entry.reference.digest, file: file, replaces: replaces, isRemoval: true,
            key: entry.writer.signingKey))
      default: break
      }
    }
  }

  // MARK: What replaces what

  private mutating func resolve() {
    replaced = [[Int32]](repeating: [], count: versions.count)
    var byCopy: [(from: Int, to: Int)] = []
    for from in versions.indices {
      var targets: Set<Int32> = []
      for name in versions[from].put.replaces {
        for to in reached(by: name, from: from) where to != Int32(from) {
          guard targets.insert(to).inserted else { continue }
          if versions[from].speaksFor != nil, versions[Int(to)].kind == .decision {
            byCopy.append((from, Int(to)))
          }
        }
      }
      replaced[from] = targets.sorted()
    }
    // A version that a person chose reaches back through what the choice put aside.
    // One that was chosen instead of a version stays beside what follows that version.
    let kept = byCopy.filter { isChosenInstead($0.to, before: $0.from) || reaches($0.to, $0.from) }
    for edge in kept { replaced[edge.from].removeAll { $0 == Int32(edge.to) } }
    replacedBy = [[Int32]](repeating: [], count: versions.count)
    isDead = [Bool](repeating: false, count: versions.count)
    isRemoved = isDead
    for (from, targets) in replaced.enumerated() {
      for target in targets {
        isDead[Int(target)] = true
        replacedBy[Int(target)].append(Int32(from))
      }
    }
    let isReplaced = isDead
    for ending in endings { apply(ending, isReplaced) }
    isDropped = versions.indices.map { isDead[$0] && drops.contains(versions[$0].key) }
  }

  /// The versions that a name in the `replaces` of a version reaches.
  private func reached(by name: Digest, from: Int) -> [Int32] {
    let version = versions[from]
    let key = Key(name: name, file: version.put.fileID)
    guard let signer = version.speaksFor else { return named(key) }
    if name == version.made { return [] }
    return (byMade[key] ?? []).filter { versions[Int($0)].by == signer }
  }

  /// The versions that an ordinary operation's name reaches: the operation's own, and those that
  /// were carried or adopted from it.
  private func named(_ key: Key) -> [Int32] {
    (byName[key] ?? []) + (byMade[key] ?? []).filter { versions[Int($0)].kind == .finding }
  }

  /// Whether a choice puts a version aside that another version names too.
  private func isChosenInstead(_ choice: Int, before place: Int) -> Bool {
    let names = versions[choice].put.replaces
    return !names.isEmpty && !Set(names).isDisjoint(with: versions[place].put.replaces)
  }

  private func reaches(_ start: Int, _ end: Int) -> Bool {
    var (next, visited) = ([start], Set([start]))
    while let place = next.popLast() {
      if place == end { return true }
      for target in replaced[place] where visited.insert(Int(target)).inserted {
        next.append(Int(target))
      }
    }
    return false
  }

  private mutating func apply(_ ending: Ending, _ isReplaced: [Bool]) {
    var found: Set<Int32> = []
    for name in ending.replaces {
      let key = Key(name: name, file: ending.file)
      found.formUnion(ending.key == nil ? named(key) : byMade[key] ?? [])
    }
    if let key = ending.key, found.contains(where: { versions[Int($0)].by != key }) {
      wishes.append((ending.operation, ending.file))
      return
    }
    for place in found.map(Int.init) {
      isDead[place] = true
      if ending.isRemoval { isRemoved[place] = !isReplaced[place] }
    }
  }

  /// Takes out what a person has decided against: a decision or an ending names it.
  private mutating func refuse() {
    if heldBack.isEmpty { return }
    var isRemoval: [Key: Bool] = [:]
    for version in versions where version.kind == .decision && version.namespace == nil {
      for name in version.put.replaces {
        isRemoval[Key(name: name, file: version.put.fileID)] = false
      }
    }
    for ending in endings where ending.key == nil {
      for name in ending.replaces {
        let key = Key(name: name, file: ending.file)
        isRemoval[key] = ending.isRemoval && isRemoval[key] != false
      }
    }
    var waiting: [Version] = []
    for version in heldBack {
      if let isRemoved = isRemoval[version.madeKey] ?? isRemoval[version.key] {
        refused.append((version, isRemoved))
      } else {
        waiting.append(version)
      }
    }
    heldBack = waiting
  }

  /// Collects what should be here.
  ///
  /// A finding has all that counts of its version. In a namespace that follows others, so has a
  /// choice: a person may delete those others. What a silent writer names there is its own, and a
  /// gap in its chain shows what is missing here.
  private mutating func findMissing(
    _ log: OperationLog, _ sealed: SealedLog, _ earlier: [EarlierFiles]
  ) {
    let isFirst = log.links.earlier.isEmpty
    let kinds: [Version.Kind] = isFirst ? [.decision, .sealed] : [.decision]
    for version in versions where version.namespace == nil && kinds.contains(version.kind) {
      let file = version.put.fileID
      for name in version.put.replaces + (isFirst ? [version.made] : [])
      where !log.index.contains(name) && sealed.place(of: name) == nil
        && byMade[Key(name: name, file: file)] == nil && !earlier.contains(where: { $0.has(name) })
      {
        missing[file, default: []].insert(name)
      }
    }
    for older in earlier {
      missing.merge(older.versions.missing) { $0.union($1) }
    }
  }

  // MARK: Questions

  /// The names of versions that a choice, not written yet, would bring back: it may reach, for an older
  /// choice, what replaced that one (rule 3).
  func freed(by choice: Version) -> [Digest] {
    var rules = self
    rules.versions.append(choice)
    rules.places[choice.put.fileID, default: []].append(versions.count)
    rules.byMade[choice.madeKey, default: []].append(Int32(versions.count))
    rules.resolve()
    let back = rules.live(choice.put.fileID).filter { $0 < versions.count && isDead[$0] }
    return names(of: back.filter { versions[$0].made != choice.made })
  }

  /// The versions that were not given up, also those that are held back.
  var kept: [Version] {
    versions.indices.filter { !isDropped[$0] }.map { versions[$0] } + retired
  }

  /// The objects that only versions of this namespace name that were given up.
  var spentObjects: Set<Digest> {
    let spent = versions.indices.filter { isDropped[$0] && versions[$0].namespace == nil }
    let needed = versions.indices.filter { !isDropped[$0] || versions[$0].namespace != nil }
    return Set(spent.compactMap { versions[$0].put.version.object })
      .subtracting(needed.compactMap { versions[$0].put.version.object })
      .subtracting(retired.compactMap(\.put.version.object))
  }

  /// The places of a file's live versions.
  func live(_ file: FileID) -> [Int] { (places[file] ?? []).filter { !isDead[$0] } }

  /// The place of an operation's version of a file.
  func place(of operation: Digest, file: FileID) -> Int? {
    byName[Key(name: operation, file: file)]?.first.map(Int.init)
  }

  /// One place for each version, of those that hold it or a copy of it: a live one if there is any,
  /// then the newest.
  ///
  /// A copy by choice or adoption is the version that it is a copy of.
  func representatives(of places: [Int]) -> [Int] {
    var found: [Identity: Int] = [:]
    for place in places {
      let identity = Identity(versions[place])
      guard let known = found[identity] else {
        found[identity] = place
        continue
      }
      let (one, other) = (versions[place], versions[known])
      let isNewer =
        (one.at, one.kind != .sealed ? 1 : 0, one.operation.counter)
        > (other.at, other.kind != .sealed ? 1 : 0, other.operation.counter)
      if isDead[place] == isDead[known] ? isNewer : !isDead[place] { found[identity] = place }
    }
    return found.values.sorted()
  }

  /// The version that an operation holds, wherever it was copied to.
  struct Identity: Hashable {
    let made: Digest
    let file: FileID
    let content: Digest

    init(made: Digest, file: FileID, content: Digest) {
      (self.made, self.file, self.content) = (made, file, content)
    }

    init(_ version: Version) {
      made = version.made
      file = version.put.fileID
      content = version.put.version.content
    }

    init(_ version: StoredVersion) {
      self.init(made: version.made, file: version.file, content: version.content)
    }
  }

  /// The names by which a person's operation replaces versions.
  ///
  /// A finding is called by the operation that first had it, so that other findings of it go too.
  func names(of places: [Int]) -> [Digest] {
    Set(
      places.map {
        versions[$0].kind == .finding ? versions[$0].made : versions[$0].operation.digest
      }
    )
    .sorted()
  }

  /// The places of the versions that replace every copy of a version, even if they do not count
  /// themselves.
  ///
  /// Who brings the version back puts them aside too, or the copy would be replaced at once.
  func followers(of version: Version) -> [Int] {
    guard let key = version.by else { return [] }
    return (places[version.put.fileID] ?? []).filter {
      versions[$0].speaksFor == key && versions[$0].made != version.made
        && versions[$0].put.replaces.contains(version.made)
    }
  }
}

extension FileVersion {
  /// The object with its contents; nil if they lie in the operation.
  var object: Digest? {
    if case .object(let name, _) = place { name } else { nil }
  }
}
