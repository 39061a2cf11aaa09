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
    let put: FilePut
    /// The operation that first held the version.
    let made: Digest
    /// The signing key of that operation; nil for an ordinary one.
    let by: SigningKey?
    let kind: Kind

    /// The key whose versions its `replaces` reach wherever they were copied to.
    ///
    /// Nil if it names operations, each for its own version.
    var speaksFor: SigningKey? { kind == .decision ? nil : by }
    var key: Key { Key(name: operation.digest, file: put.fileID) }
    var madeKey: Key { Key(name: made, file: put.fileID) }
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

  private(set) var versions: [Version] = []
  /// Versions that a retirement holds back and nobody has chosen.
  private(set) var heldBack: [Version] = []
  /// For each of ``versions``, whether another one, a removal or a settlement replaces it.
  private(set) var isDead: [Bool] = []
  /// For each of ``versions``, whether only removals end it.
  private(set) var isRemoved: [Bool] = []
  /// For each of ``versions``, whether it was given up and no longer counts.
  private(set) var isDropped: [Bool] = []
  /// The places of the versions that each version replaces.
  private var replaced: [[Int32]] = []
  /// The places of the versions that replace each version.
  private var replacedBy: [[Int32]] = []
  /// The places of each file's versions.
  private(set) var places: [FileID: [Int]] = [:]
  /// Operations that versions of a file replace or are copies of, and that are not here.
  private(set) var missing: [FileID: Set<Digest>] = [:]
  /// Removals by silent writers of what is not all their own: wishes, which have no effect.
  private(set) var wishes: [(operation: Digest, file: FileID)] = []
  private var endings: [Ending] = []
  private var drops: Set<Key> = []
  private var byName: [Key: [Int32]] = [:]
  private var byMade: [Key: [Int32]] = [:]

  /// No versions.
  init() {}

  /// Applies the rules to what is here.
  ///
  /// - Parameters:
  ///   - log: the ordinary operations.
  ///   - sealed: the sealed ones.
  init(_ log: borrowing OperationLog, _ sealed: borrowing SealedLog) {
    if log.files.isEmpty, sealed.entries.isEmpty { return }
    let retirements = Dictionary(grouping: log.files.retirements, by: \.key)
    for change in log.files.changes { add(change, retirements, log, sealed) }
    for place in sealed.entries.indices { add(sealed, place) }
    for (place, version) in versions.enumerated() {
      places[version.put.fileID, default: []].append(place)
      byName[version.key, default: []].append(Int32(place))
      byMade[version.madeKey, default: []].append(Int32(place))
    }
    resolve()
    findMissing(log, sealed)
    heldBack.removeAll { held in
      (byMade[held.madeKey] ?? []).contains { place in
        versions[Int(place)].kind == .decision || !isDead[Int(place)]
      }
    }
  }

  // MARK: What counts

  private mutating func add(
    _ logged: FileRecords.Change, _ retirements: [SigningKey: [FileRecords.Retirement]],
    _ log: borrowing OperationLog, _ sealed: borrowing SealedLog
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
      if Self.isHeldBack(version, retirements, log, sealed) {
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
    _ log: borrowing OperationLog, _ sealed: borrowing SealedLog
  ) -> Bool {
    guard version.kind == .finding, let key = version.by else { return false }
    return (retirements[key] ?? []).contains { retirement in
      let original = sealed.place(of: version.made)
      if let original, sealed.covers(retirement.pieces, original) { return false }
      return !log.index.covers(retirement.operation.digest, version.operation.digest)
    }
  }

  private mutating func add(_ sealed: borrowing SealedLog, _ place: Int) {
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
    let circular = byCopy.filter { reaches($0.to, $0.from) }
    for edge in circular { replaced[edge.from].removeAll { $0 == Int32(edge.to) } }
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

  private mutating func findMissing(_ log: borrowing OperationLog, _ sealed: borrowing SealedLog) {
    for version in versions {
      for name in version.put.replaces + [version.made]
      where !log.index.contains(name) && sealed.place(of: name) == nil {
        missing[version.put.fileID, default: []].insert(name)
      }
    }
  }

  // MARK: Questions

  /// The places of a file's live versions.
  func live(_ file: FileID) -> [Int] { (places[file] ?? []).filter { !isDead[$0] } }

  /// The place of an operation's version of a file.
  func place(of operation: Digest, file: FileID) -> Int? {
    byName[Key(name: operation, file: file)]?.first.map(Int.init)
  }

  /// Whether a version has more than `count` newer ones, which replace it directly or through others.
  func hasNewer(_ place: Int, than count: Int) -> Bool {
    var (next, visited) = ([Int32(place)], Set([Int32(place)]))
    var found: Set<Digest> = []
    while let target = next.popLast() {
      for other in replacedBy[Int(target)] where visited.insert(other).inserted {
        if versions[Int(other)].made != versions[place].made {
          found.insert(versions[Int(other)].made)
          if found.count > count { return true }
        }
        next.append(other)
      }
    }
    return false
  }

  /// The names by which a person's operation replaces versions.
  ///
  /// A finding is called by the operation that first had it, so that other findings of it go too.
  func names(of places: [Int]) -> [Digest] {
    Set(places.map { versions[$0].kind == .finding ? versions[$0].made : versions[$0].operation.digest })
      .sorted()
  }

  /// The names of the versions that a version that was held back replaces: of its key only.
  func predecessors(of held: Version) -> [Digest] {
    guard let key = held.by else { return [] }
    let all = (versions + heldBack).filter {
      $0.put.fileID == held.put.fileID && $0.by == key && $0.made != held.made
        && held.put.replaces.contains($0.made)
    }
    return Set(all.flatMap { [$0.made, $0.operation.digest] }).sorted()
  }
}
