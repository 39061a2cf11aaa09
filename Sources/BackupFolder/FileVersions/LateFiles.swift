internal import CSPP

/// The files of a namespace before another one, as far as they matter there.
struct EarlierFiles {
  let id: NamespaceID
  let versions: FileVersions
  /// The sealed operations of that namespace and of those before it.
  let sealed: [SealedLog]
  /// The ordinary operations of these namespaces.
  let logs: [LogIndex]
  /// Whether a rotation finished that namespace; an interrupted one leaves copies.
  let isFollowed: Bool

  /// Whether an operation is in one of these namespaces.
  func has(_ name: Digest) -> Bool {
    logs.contains { $0.contains(name) } || sealed.contains { $0.place(of: name) != nil }
  }
}

/// Versions that count in an earlier namespace and are not in this one.
extension FileVersions {
  /// The most operations that a copy of a version lists, the nearest first.
  ///
  /// What is left out can only come back as a conflict, where operations in between are lost.
  static let mostReached = 4096

  /// Adds the late versions.
  ///
  /// Each replaces what it reaches in its own namespace, because that is not copied.
  mutating func addLate(of earlier: [EarlierFiles]) {
    var known = Set(versions.map { Identity($0) })
    if earlier.isEmpty {
      identities = known
      return
    }
    var followed: Set<Identity> = []
    for older in earlier where older.isFollowed { followed.formUnion(older.versions.identities) }
    identities = known.union(followed)
    // What a finding lists was replaced before, also where a retirement holds the finding back.
    let replaced = Set(
      heldBack.filter { $0.kind == .finding }.flatMap { held in
        held.put.replaces.map { Key(name: $0, file: held.put.fileID) }
      })
    for older in earlier {
      let rules = older.versions
      for place in rules.versions.indices where !rules.isDead[place] {
        var late = rules.versions[place]
        let identity = Identity(late)
        // A copy of what has been replaced since is no version.
        if !older.isFollowed, followed.contains(identity) || replaced.contains(late.madeKey) {
          continue
        }
        guard known.insert(identity).inserted else { continue }
        late.namespace = late.namespace ?? older.id
        late.put = late.put.replacing(rules.reached(from: place))
        versions.append(late)
      }
      for var held in rules.heldBack where !identities.contains(Identity(held)) {
        held.namespace = held.namespace ?? older.id
        heldBack.append(held)
      }
      wishes += rules.wishes
    }
  }

  /// The names of the operations whose versions a version replaces, directly or through others.
  ///
  /// A missing operation may be replaced. Another key's version is not, nor is a live one: a person
  /// has chosen it since, and a copy would not show that.
  func reached(from place: Int) -> [Digest] {
    var names: [Digest] = []
    var found: Set<Digest> = [versions[place].made]
    var (next, visited) = ([place], Set([place]))
    var position = 0
    while position < next.count, names.count < Self.mostReached {
      let from = next[position]
      position += 1
      for name in versions[from].put.replaces where isEffective(name, of: versions[from]) {
        if found.insert(name).inserted, !isLive(name, versions[place].put.fileID) {
          names.append(name)
        }
      }
      for target in replaced[from] where visited.insert(Int(target)).inserted {
        next.append(Int(target))
      }
    }
    return Array(names.prefix(Self.mostReached))
  }

  /// Whether a version that an operation first held, or a copy of it, is live.
  func isLive(_ made: Digest, _ file: FileID) -> Bool {
    (byMade[Key(name: made, file: file)] ?? []).contains { !isDead[Int($0)] }
  }

  private func isEffective(_ name: Digest, of version: Version) -> Bool {
    guard let key = version.speaksFor else { return true }
    let named = byMade[Key(name: name, file: version.put.fileID)] ?? []
    return named.isEmpty || named.contains { versions[Int($0)].by == key }
  }

  /// The late versions of a file that have to be here before a person writes about it.
  ///
  /// They are those that count, and those that a choice here replaces by name: without them, something
  /// would be missing for the choice. A finding tells all that it replaces.
  func late(of file: FileID) -> [Version] {
    let all = places[file] ?? []
    var named: Set<Digest> = []
    for place in all where versions[place].namespace == nil && versions[place].kind == .decision {
      named.formUnion(versions[place].put.replaces)
    }
    return all.filter { place in
      versions[place].namespace != nil
        && (!isDead[place] || named.contains(versions[place].made))
    }.map { versions[$0] }
  }

  /// The files of which versions would be lost with the earlier namespaces: late ones, and held-back
  /// ones, which a person may still choose.
  var filesNeedingEarlier: Set<FileID> {
    Set(heldBack.filter { $0.namespace != nil }.map(\.put.fileID))
      .union(places.keys.filter { !late(of: $0).isEmpty })
  }
}
