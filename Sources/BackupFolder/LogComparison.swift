internal import CSPP

extension LogIndex {
  /// Compares the logs with each other and with what is remembered.
  ///
  /// - Parameters:
  ///   - memory: what this computer opened before this run.
  ///   - unsynchronised: operations whose file is there and empty, a placeholder
  ///     or cut off.
  ///   - damaged: operations whose file is there and holds something else.
  /// - Returns: counts, and the freshness word.
  func health(
    memory: Memory, unsynchronised: Set<OperationName>, damaged: Set<OperationName> = []
  ) -> LogHealth {
    var health = LogHealth()
    health.operations = nodes.count
    health.isFreshnessKnown = !memory.operations.isEmpty
    let present = Set(nodes.map(\.reference.name))
    health.writers = Set(present.map(\.writer)).count
    // What is damaged is there: that is said, and is no roll-back.
    health.rolledBack =
      memory.operations.subtracting(present).subtracting(unsynchronised).subtracting(damaged)
      .count
    let contradictions = contradictions(accepted: memory.accepted)
    health.forked = contradictions.forked
    health.incomplete =
      unsynchronised.subtracting(present)
      .union(contradictions.awaited.subtracting(memory.operations).subtracting(damaged)).count
    health.freshness = freshnessWord()
    return health
  }

  /// One counter of one writer: an operation's place in its log.
  fileprivate struct Place: Hashable {
    let writer: WriterID
    let counter: UInt64
  }

  /// What the operations that are here say of those that are not.
  private struct Contradictions {
    /// Places that two different operations claim: by lying there, or by being
    /// named by another operation.
    var forked = 0
    /// Operations that others name and that are not here, at places that
    /// nothing else claims.
    var awaited: Set<OperationName> = []
  }

  /// Finds places with several claims, and claims without an operation.
  ///
  /// - Parameter accepted: claims that one of these makes, be it by being there,
  ///   are known to a person.
  /// - Returns: what no person knows yet.
  private func contradictions(accepted: Set<OperationName>) -> Contradictions {
    var first: [Place: Digest] = [:]
    var claims: [Place: Set<Digest>] = [:]
    first.reserveCapacity(nodes.count)
    for node in nodes {
      let reference = node.reference
      if let other = first.updateValue(reference.digest, forKey: reference.place) {
        claims[reference.place, default: []].formUnion([other, reference.digest])
      }
    }
    for reference in absentReferences() {
      claims[reference.place, default: Set([first[reference.place]].compactMap(\.self))]
        .insert(reference.digest)
    }
    var found = Contradictions()
    if claims.isEmpty { return found }
    let known = accepted.isEmpty ? [] : allClaims(of: accepted)
    for (place, digests) in claims where !digests.isSubset(of: known) {
      if digests.count > 1 {
        found.forked += 1
      } else if let digest = digests.first {
        found.awaited.insert(
          OperationName(writer: place.writer, counter: place.counter, digest: digest))
      }
    }
    return found
  }

  /// Every operation that another one names and that is not here.
  private func absentReferences() -> Set<Reference> {
    var references: Set<Reference> = []
    for node in nodes {
      for reference in node.named where !contains(reference.digest) {
        references.insert(reference)
      }
    }
    return references
  }

  /// What some of the operations here claim: themselves, and what they name.
  private func allClaims(of names: Set<OperationName>) -> Set<Digest> {
    var known: Set<Digest> = []
    for node in nodes where names.contains(node.reference.name) {
      known.insert(node.reference.digest)
      known.formUnion(node.named.map(\.digest))
    }
    return known
  }

  /// The word for every writer's last operation; empty when there is none.
  private func freshnessWord() -> String {
    var last: [WriterID: OperationName] = [:]
    for node in nodes {
      let name = node.reference.name
      if let known = last[name.writer], name < known { continue }
      last[name.writer] = name
    }
    return last.isEmpty ? "" : FreshnessWord(last: Array(last.values)).description
  }
}

extension LogIndex.Node {
  /// The operations that this one names.
  fileprivate var named: [LogIndex.Reference] {
    guard reference.counter > 1, let previous else { return seen }
    return seen + [
      LogIndex.Reference(
        writerID: reference.writerID, counter: reference.counter - 1, digest: previous)
    ]
  }
}

extension LogIndex.Reference {
  fileprivate var place: LogIndex.Place {
    LogIndex.Place(writer: writerID, counter: counter)
  }

  /// What the operation's file is called.
  var name: OperationName { OperationName(writer: writerID, counter: counter, digest: digest) }
}
