internal import CSPP

extension LogIndex {
  /// Compares the logs with each other and with what is remembered.
  ///
  /// - Parameters:
  ///   - memory: what this computer opened before this run.
  ///   - unsynchronised: log files that are there but empty.
  /// - Returns: counts, and the freshness word.
  func health(memory: Memory, unsynchronised: Set<OperationName>) -> LogHealth {
    var health = LogHealth()
    health.operations = nodes.count
    health.isFreshnessKnown = !memory.operations.isEmpty
    var present: Set<OperationName> = []
    var digests: [WriterID: [UInt64: Set<Digest>]] = [:]
    for node in nodes {
      present.insert(node.reference.name)
      digests[node.reference.writerID, default: [:]][node.reference.counter, default: []]
        .insert(node.reference.digest)
    }
    health.writers = digests.count
    health.forked = digests.values.reduce(0) { $0 + $1.values.count { $0.count > 1 } }
    let lost = memory.operations.subtracting(present)
    health.rolledBack = lost.subtracting(unsynchronised).count
    var awaited = unsynchronised.subtracting(present)
    for reference in references() where !contains(reference.digest) {
      if digests[reference.writerID]?[reference.counter] != nil {
        health.forked += 1
      } else if !memory.operations.contains(reference.name) {
        awaited.insert(reference.name)
      }
    }
    health.incomplete = awaited.count
    health.freshness = freshnessWord()
    return health
  }

  /// Every operation that another one names.
  private func references() -> Set<Reference> {
    var references: Set<Reference> = []
    for node in nodes {
      references.formUnion(node.seen)
      if node.reference.counter > 1, let previous = node.previous {
        references.insert(
          Reference(
            writerID: node.reference.writerID, counter: node.reference.counter - 1, digest: previous
          ))
      }
    }
    return references
  }

  /// Ten letters and digits without look-alikes: 50 bits of the SHA-256 over
  /// the sorted names of every writer's last operation.
  private func freshnessWord() -> String {
    var last: [WriterID: OperationName] = [:]
    for node in nodes {
      let name = node.reference.name
      if let known = last[name.writer], name < known { continue }
      last[name.writer] = name
    }
    if last.isEmpty { return "" }
    let names = last.values.sorted().map { "\($0)\n" }.joined()
    var bits = Digest(of: Array(names.utf8).span).words.x
    let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
    var word = ""
    for _ in 0..<10 {
      word.append(alphabet[Int(bits >> 59)])
      bits <<= 5
    }
    return word
  }
}

extension LogIndex.Reference {
  /// What the operation's file is called.
  var name: OperationName { OperationName(writer: writerID, counter: counter, digest: digest) }
}
