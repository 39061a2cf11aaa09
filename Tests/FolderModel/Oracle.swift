import CSPP

/// The meaning of a set of files according to docs/format.md, computed without regard to speed.
struct Truth {
  /// The operations that are completely here.
  private(set) var operations: [Digest: LoggedOperation] = [:]
  /// Wallet files, by path.
  private(set) var views: [String: Entry] = [:]
  /// The operations that each operation covers.
  private var covered: [Digest: Set<Digest>] = [:]
  /// The entries of all `put`s.
  private(set) var puts: [Digest: Entry] = [:]

  init(_ files: [String: Content]) {
    for (path, content) in files {
      let place = Place(path)
      switch content.meaning {
      case .operation(let operation) where place == .log:
        operations[operation.reference.digest] = operation
      case .wallet(let entry) where place == .view: views[path] = entry
      default: break
      }
    }
    for operation in operations.values {
      covered[operation.reference.digest] = cover(operation)
      for case (_, let entry?) in operation.changes { puts[entry.value] = entry }
    }
  }

  /// Every operation that a chain in an operation's `seen` reaches.
  private func cover(_ operation: LoggedOperation) -> Set<Digest> {
    var covered: Set<Digest> = []
    for seen in operation.seen {
      var next: Digest? = seen.digest
      while let digest = next, let reached = operations[digest], !covered.contains(digest) {
        covered.insert(digest)
        next = reached.previous
      }
    }
    return covered
  }

  /// The live entries, by record.
  func live() -> [RecordID: [Digest: Entry]] {
    var writers: [RecordID: [LoggedOperation]] = [:]
    for operation in operations.values {
      for record in Set(operation.changes.map(\.record)) {
        writers[record, default: []].append(operation)
      }
    }
    var live: [RecordID: [Digest: Entry]] = [:]
    for (record, operations) in writers {
      let dead = Set(
        operations.map(\.reference.digest).filter { digest in
          operations.contains { covered[$0.reference.digest]?.contains(digest) == true }
        })
      // An operation that covers one finding of these bytes covers all findings of them.
      var findings: Set<Digest> = []
      for operation in operations where dead.contains(operation.reference.digest) {
        for case (_, let entry?) in operation.changes where operation.finds(entry) {
          findings.insert(entry.value)
        }
      }
      for operation in operations where !dead.contains(operation.reference.digest) {
        for case (let changed, let entry?) in operation.changes where changed == record {
          if operation.finds(entry), findings.contains(entry.value) { continue }
          live[record, default: [:]][entry.value] = entry
        }
      }
    }
    return live
  }

  /// The entries in wallet files that no `put` here has, except ``staged`` ones.
  var unlogged: [Digest: Entry] {
    var found: [Digest: Entry] = [:]
    for (path, entry) in views where puts[entry.value] == nil && !isStaged(path, entry) {
      found[entry.value] = entry
    }
    return found
  }

  /// The entries that only temporary files have, of operations that are not here.
  ///
  /// A crash left them, or the operation has not arrived yet.
  var staged: [Entry] {
    views.filter { puts[$1.value] == nil && isStaged($0, $1) }.map(\.value)
  }

  private func isStaged(_ path: String, _ entry: Entry) -> Bool {
    guard path.contains("/.keybackup-tmp-"), let mark = entry.mark else { return false }
    return !operations.values.contains {
      $0.reference.writerID == mark.writerID && $0.reference.counter == mark.counter
    }
  }

  /// The operations that others name and that are missing.
  var gaps: Set<Digest> {
    var gaps: Set<Digest> = []
    for operation in operations.values {
      for reference in operation.references where operations[reference.digest] == nil {
        gaps.insert(reference.digest)
      }
    }
    return gaps
  }

  /// Every operation on an unbroken chain, which a new operation may name as seen.
  var whole: Set<Digest> {
    var whole: Set<Digest> = []
    for operation in operations.values.sorted(by: { $0.reference.counter < $1.reference.counter })
    where operation.previous.map({ whole.contains($0) }) ?? true {
      whole.insert(operation.reference.digest)
    }
    return whole
  }
}

/// The half of the folder to which a file belongs, if any.
///
/// The file's name there reveals only that it was never published.
enum Place {
  case log, view, other

  init(_ path: String) {
    let parts = path.split(separator: "/").dropFirst(2)
    if parts.count == 4, parts.dropLast(2).elementsEqual(["keybackup", "log"]) {
      self = parts.last?.hasPrefix(".keybackup-tmp-") == true ? .other : .log
    } else {
      self = parts.count == 1 || parts.first == "wallets" ? .view : .other
    }
  }
}

/// The users' acts, and the final state that they require.
struct Oracle {
  /// A user's writing act: the request, and the versions that the user saw.
  struct Act {
    enum Kind { case put, remove, keep }
    let kind: Kind
    let record: RecordID
    /// The words; empty for a `remove`.
    let words: String
    /// The words of all versions of the record that were shown or logged on that computer.
    let known: Set<String>
    /// The words of the versions that the operation certainly supersedes.
    let superseded: Set<String>
    /// Whether the program reported success.
    var isAcknowledged = false
  }

  var acts: [Act] = []
  /// The words written by another CSPP program.
  var foreign: Set<String> = []

  /// The words that must be live, by record.
  func mustBeLive() -> [RecordID: Set<String>] {
    var dead: [RecordID: Set<String>] = [:]
    for act in acts {
      dead[act.record, default: []].formUnion(
        act.known.filter { act.kind != .keep || $0 != act.words })
    }
    var live: [RecordID: Set<String>] = [:]
    for act in acts
    where act.kind == .put && act.isAcknowledged && dead[act.record]?.contains(act.words) != true {
      live[act.record, default: []].insert(act.words)
    }
    return live
  }

  /// The words that must not be live any more.
  func mustBeGone() -> Set<String> {
    var gone: Set<String> = []
    for act in acts where act.isAcknowledged { gone.formUnion(act.superseded) }
    return gone.subtracting(kept)
  }

  /// The words kept by one user, which stay even if another user supersedes them.
  private var kept: Set<String> { Set(acts.filter { $0.kind == .keep }.map(\.words)) }

  /// Whether a wallet may be reported as changed on one computer and removed on another.
  ///
  /// - Parameters:
  ///   - record: the wallet.
  ///   - words: the words of its live versions.
  /// - Returns: whether one of these was created, or decided for, by an act that a removal did not
  ///   know.
  func mayBeKeptAgainstRemoval(_ record: RecordID, _ words: Set<String>) -> Bool {
    acts.contains { act in
      act.kind == .remove && act.record == record
        && !words.subtracting(act.known).union(words.intersection(kept)).isEmpty
    }
  }
}
