public import CSPP

/// One computer (or installation) that wrote to a namespace's log.
public struct LogWriter: Equatable, Sendable {
  /// The ID of its log.
  public let id: WriterID
  /// Its name for people.
  public let label: String
  /// The number of its operations that are here.
  public let operations: Int
  /// The time of its last operation by its own clock, in Unix seconds.
  public let lastAt: UInt64
  /// Whether this computer writes under this ID now.
  public let isThisComputer: Bool
  /// Whether it was retired.
  public let isRetired: Bool
  /// The number of operations of a retired computer that its retirement did not know.
  ///
  /// It wrote again, or its earlier operations arrived later.
  public let afterRetirement: Int
}

extension OperationLog {
  /// Whether a computer was retired.
  func isRetired(_ writer: WriterID) -> Bool {
    retirements.contains { $0.writer == writer }
  }

  /// The number of operations of retired computers that no retirement knew, by computer.
  func writesAfterRetirement() -> [WriterID: Int] {
    if retirements.isEmpty { return [:] }
    var counts: [WriterID: Int] = [:]
    let retiring = Dictionary(grouping: retirements, by: \.writer).mapValues { $0.map(\.node) }
    for place in index.nodes.indices {
      let writer = index.nodes.writer(place)
      guard let known = retiring[writer] else { continue }
      // A computer may retire itself.
      if known.contains(where: { $0 == place || index.covers($0, place) }) {
        continue
      }
      counts[writer, default: 0] += 1
    }
    return counts
  }
}

extension OpenNamespace {
  /// Every computer that has written, most recent first.
  public var writers: [LogWriter] {
    var operations: [WriterID: (count: Int, lastAt: UInt64)] = [:]
    for place in log.index.nodes.indices {
      let writer = log.index.nodes.writer(place)
      let known = operations[writer] ?? (0, 0)
      operations[writer] = (known.count + 1, max(known.lastAt, log.times[place]))
    }
    let after = log.writesAfterRetirement()
    return operations.map { (id, found) in
      LogWriter(
        id: id, label: log.labels[id]?.text ?? "", operations: found.count,
        lastAt: found.lastAt, isThisComputer: id == localState.writer && !log.isRetired(id),
        isRetired: log.isRetired(id), afterRetirement: after[id] ?? 0)
    }.sorted { ($0.lastAt, $0.id) > ($1.lastAt, $1.id) }
  }

  /// Logs that a computer no longer writes.
  ///
  /// Its later operations are still shown and restored, and reported as unexpected. If it is this
  /// computer, its next operation has a new writer.
  ///
  /// - Parameter writer: from ``writers``; a computer that is already retired is retired again,
  ///   with everything it wrote since.
  /// - Throws: ``BackupFolderError/busy(path:)`` and other system errors.
  public mutating func retire(_ writer: WriterID) throws(BackupFolderError) {
    let run = try beginRun()
    var staged = try stage(run: run) { $0.writerRetire(writer) }
    staged.retired = [writer]
    try publish(staged, run: run)
  }
}
