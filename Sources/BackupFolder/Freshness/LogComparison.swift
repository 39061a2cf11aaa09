// This folder is for comparing the logs with each other and with what this computer remembers.
// Other rooms take LogHealth, the freshness word and an Acceptance from here. No master key and no
// wallet is known here.

internal import CSPP

extension LogIndex {
  /// Compares the logs with each other and with the local state.
  ///
  /// - Parameters:
  ///   - localState: what this computer opened before this run.
  ///   - unsynchronised: operations whose file is here but empty, a placeholder or cut off.
  ///   - damaged: operations whose file is here and holds something else.
  /// - Returns: counts, and the freshness word.
  func health(
    localState: LocalState, unsynchronised: Set<OperationName>, damaged: Set<OperationName> = []
  ) -> LogHealth {
    var health = LogHealth()
    health.operations = nodes.count
    health.isFreshnessKnown = !localState.operations.isEmpty
    let present = names
    health.writers = present.indices.count {
      $0 == 0 || present[$0].writer != present[$0 - 1].writer
    }
    health.include(
      rolledBack: missing(
        among: localState.operations, unsynchronised: unsynchronised, damaged: damaged))
    let contradictions = contradictions(present, accepted: localState.accepted)
    health.forked = contradictions.forked
    health.forkedWriters = contradictions.forkedWriters
    health.incomplete =
      unsynchronised.filter { !present.contains($0) }
      .union(
        contradictions.awaited.filter {
          !localState.operations.contains($0) && !damaged.contains($0)
        }
      ).count
    health.freshness = freshnessWord(present)
    return health
  }

  /// The remembered operations that are gone.
  ///
  /// A damaged operation is here, as is one remembered by a copy's name, so neither is gone.
  func missing(
    among remembered: OperationNames, unsynchronised: Set<OperationName>,
    damaged: Set<OperationName>
  ) -> OperationNames {
    let present = names
    if present.isSuperset(of: remembered) { return [] }
    let copied = Set(copies.keys.map { $0.words.lowHalf })
    return OperationNames(
      remembered.filter {
        !present.contains($0) && !unsynchronised.contains($0) && !damaged.contains($0)
          && !copied.contains($0.digest)
      })
  }

  /// One counter of one writer: an operation's place in its log.
  fileprivate struct Place: Hashable {
    let writer: WriterID
    let counter: UInt64
  }

  /// The contradictions between operations that are here and the operations they name.
  private struct Contradictions {
    /// The places that two different operations claim, by being there or by being named in another
    /// operation.
    var forked = 0
    var forkedWriters: Set<WriterID> = []
    /// The operations that others name and that are missing, at places that nothing else claims.
    var awaited: Set<OperationName> = []
  }

  /// Finds places with several claims, and claims without an operation.
  ///
  /// - Parameters:
  ///   - present: the names of all operations that are here.
  ///   - accepted: operations that the user accepted; claims that one of them makes, also by being
  ///     there, are known.
  /// - Returns: the contradictions that the user has not accepted yet.
  private func contradictions(
    _ present: OperationNames, accepted: OperationNames
  ) -> Contradictions {
    // Nearly every place has one claim, by the operation that lies there.
    var claims: [Place: Set<OperationName>] = [:]
    for place in present.indices.dropFirst() where present[place].place == present[place - 1].place
    {
      claims[present[place].place, default: []].formUnion([present[place - 1], present[place]])
    }
    for name in absentReferences() {
      claims[name.place, default: Set(present.all(of: name.writer, name.counter))].insert(name)
    }
    var found = Contradictions()
    if claims.isEmpty { return found }
    let known = accepted.isEmpty ? [] : allClaims(of: accepted)
    for (place, names) in claims where !names.allSatisfy({ known.contains($0) }) {
      if names.count > 1 {
        found.forked += 1
        found.forkedWriters.insert(place.writer)
      } else {
        found.awaited.formUnion(names)
      }
    }
    return found
  }

  /// The names of all operations that are here.
  var names: OperationNames {
    OperationNames(nodes.indices.lazy.map { nodes.references[nodes.reference($0)].name })
  }

  /// Every operation that another one names and that is missing.
  private func absentReferences() -> [OperationName] {
    let references = nodes.references
    return (0..<Int32(references.count)).filter {
      // A first operation has no earlier one.
      !references.isHere($0) && references.counter($0) > 0
    }.map { references[$0].name }
  }

  /// The claims of some of the operations here: themselves and the operations they name.
  private func allClaims(of names: OperationNames) -> OperationNames {
    var known: [OperationName] = []
    for place in nodes.indices {
      let name = nodes.references[nodes.reference(place)].name
      guard names.contains(name) else { continue }
      known.append(name)
      known += nodes.seen(place).map { nodes.references[$0].name }
      if nodes.previous(place) >= 0 { known.append(nodes.references[nodes.previous(place)].name) }
    }
    return OperationNames(known)
  }

  /// The word for every writer's last operation; empty when there is none.
  private func freshnessWord(_ all: OperationNames) -> String {
    let last = all.indices.filter {
      $0 + 1 == all.endIndex || all[$0].writer != all[$0 + 1].writer
    }
    return last.isEmpty ? "" : FreshnessWord(last: last.map { all[$0] }).description
  }
}

extension OperationName {
  fileprivate var place: LogIndex.Place { LogIndex.Place(writer: writer, counter: counter) }
}

extension LogIndex.Reference {
  /// The name of the operation's file.
  var name: OperationName { OperationName(writer: writerID, counter: counter, digest: digest) }
}
