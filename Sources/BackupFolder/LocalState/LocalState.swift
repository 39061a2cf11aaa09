// This folder is for the state of a folder that this computer remembers, and its lock. Other rooms
// read and save LocalState through StateFolder; they change a namespace only within a WritingRun.
// Freshness, not this room, compares the state with the logs.

internal import CSPP

/// The remembered state of one namespace (docs/format.md, *What a computer remembers*).
struct LocalState: Equatable {
  /// The writer ID of this computer; `nil` before its first operation.
  var writer: WriterID?
  /// The last operation that this computer published as that writer.
  var lastOwn: OperationName?
  /// Whether `init` began here and may not have finished.
  var creating = false
  /// Every operation of every writer that was ever opened with the key, except the ``forgotten``
  /// ones.
  var operations: OperationNames = []
  /// The time when the user last accepted the folder as it was, in Unix seconds; `nil` if never.
  var acceptedAt: UInt64?
  /// The operations that were in the log then, opened or not.
  ///
  /// A contradiction or gap that only these operations cause is not reported again; one that a
  /// later operation causes is.
  var accepted: OperationNames = []
  /// Operations that had been opened and whose loss the user accepted.
  ///
  /// A reference to one of them counts as another program's, not as rolled back.
  var forgotten: OperationNames = []
  /// The successor of this namespace, once a key slot of its own opened it or the user compared its
  /// ID.
  var movedTo: NamespaceID?
  /// Whether this namespace was opened or compared in that way.
  var isTrusted = false
  /// The namespaces that this one follows.
  var earlier: Set<NamespaceID> = []
  /// The namespace from which a rotation of the master key into this one began and has not
  /// finished.
  var rotatingFrom: NamespaceID?
  /// The writer IDs of this computer during that rotation.
  var rotatingWriters: Set<WriterID> = []
  /// Whether all of this was read from the memory of other paths; never saved.
  var isInherited = false

  /// Creates an empty state.
  init() {}

  /// Records the folder, as it is, as the state that this computer has seen.
  ///
  /// - Parameters:
  ///   - present: every operation in the log.
  ///   - awaited: operations whose file is here and not synchronised yet; they stay remembered.
  ///   - time: the time in Unix seconds.
  /// - Returns: the remembered operations that are given up.
  @discardableResult
  mutating func accept(
    _ present: OperationNames, awaited: OperationNames, at time: UInt64
  ) -> OperationNames {
    let lost = operations.subtracting(present).subtracting(awaited)
    forgotten = forgotten.union(lost).subtracting(present)
    operations = operations.subtracting(lost)
    accepted = present
    acceptedAt = time
    return lost
  }
}

/// The file format: lines of text; a last line shows that none is missing.
///
/// It is read and written as bytes: every operation of every computer has a line, and every command
/// reads them all. In version 1 each of these lines contained the writer; it is still read.
extension LocalState {
  static let header = "keybackup-memory 2"
  private static let headers: [StaticString] = ["keybackup-memory 2", "keybackup-memory 1"]

  /// Parses the output of ``bytes``; `nil` for anything else.
  init?(_ bytes: Span<UInt8>) {
    var names = [ContiguousArray<OperationName>](repeating: [], count: Kind.allCases.count)
    // The subject of the following lines with a counter and a digest.
    var run: (kind: Kind, writer: WriterID)?
    var (number, start, isWhole) = (0, 0, false)
    while start < bytes.count {
      var end = start
      while end < bytes.count, bytes[end] != 10 { end += 1 }
      let line = bytes.extracting(start..<end)
      start = end + 1
      if line.isEmpty { continue }
      // No line may follow the end.
      if isWhole { return nil }
      number += 1
      if number == 1 {
        var isKnown = false
        for header in Self.headers where line.isEqual(to: header) { isKnown = true }
        guard isKnown else { return nil }
      } else if line[0] &- 48 < 10 {
        guard let run, let name = OperationName(writer: run.writer, stem: line) else { return nil }
        names[run.kind.rawValue].append(name)
      } else if let kind = Kind.of(line) {
        let rest = line.extracting(droppingFirst: kind.word.utf8CodeUnitCount)
        if let writer = SIMD2(hexDigits: rest) {
          run = (kind, WriterID(words: writer))
        } else {
          guard let name = OperationName(rest) else { return nil }
          names[kind.rawValue].append(name)
        }
      } else if line.isEqual(to: "end") {
        isWhole = true
      } else if !read(line) {
        return nil
      }
    }
    guard isWhole else { return nil }
    operations = OperationNames(names[Kind.operation.rawValue])
    accepted = OperationNames(names[Kind.accepted.rawValue])
    forgotten = OperationNames(names[Kind.forgotten.rawValue])
  }

  /// The meaning of a line with an operation's name.
  private enum Kind: Int, CaseIterable {
    case operation
    case accepted
    case forgotten

    /// The line's first word and the space after it.
    var word: StaticString {
      switch self {
      case .operation: "operation "
      case .accepted: "accepted "
      case .forgotten: "forgotten "
      }
    }

    static func of(_ line: Span<UInt8>) -> Kind? {
      for kind in allCases where line.starts(with: kind.word) { return kind }
      return nil
    }
  }

  /// Reads a line of a kind that occurs once; returns whether it is one.
  private mutating func read(_ line: Span<UInt8>) -> Bool {
    if line.starts(with: "writer ") {
      writer = SIMD2(hexDigits: line.extracting(droppingFirst: 7)).map { WriterID(words: $0) }
      return writer != nil
    }
    if line.starts(with: "last ") {
      lastOwn = OperationName(line.extracting(droppingFirst: 5))
      return lastOwn != nil
    }
    if line.starts(with: "accepted-at ") {
      acceptedAt = UInt64(String(repairing: line.extracting(droppingFirst: 12)))
      return acceptedAt != nil
    }
    if line.starts(with: "moved-to ") {
      movedTo = Self.namespace(line, 9)
      return movedTo != nil
    }
    if line.starts(with: "rotating-from ") {
      rotatingFrom = Self.namespace(line, 14)
      return rotatingFrom != nil
    }
    if line.starts(with: "rotating-writer ") {
      guard let words = SIMD2(hexDigits: line.extracting(droppingFirst: 16)) else { return false }
      rotatingWriters.insert(WriterID(words: words))
      return true
    }
    if line.starts(with: "earlier ") {
      guard let id = Self.namespace(line, 8) else { return false }
      earlier.insert(id)
      return true
    }
    if line.isEqual(to: "trusted") {
      isTrusted = true
      return true
    }
    if line.isEqual(to: "creating") {
      creating = true
      return true
    }
    return false
  }

  private static func namespace(_ line: Span<UInt8>, _ start: Int) -> NamespaceID? {
    SIMD2(hexDigits: line.extracting(droppingFirst: start)).map { NamespaceID(words: $0) }
  }

  /// The contents of the file.
  var bytes: [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(512 + 48 * (operations.count + accepted.count + forgotten.count))
    text += "\(Self.header)\n".utf8
    if let writer { text += "writer \(writer)\n".utf8 }
    if let lastOwn { text += "last \(lastOwn)\n".utf8 }
    if creating { text += "creating\n".utf8 }
    if let movedTo { text += "moved-to \(movedTo)\n".utf8 }
    if isTrusted { text += "trusted\n".utf8 }
    for id in earlier.sorted() { text += "earlier \(id)\n".utf8 }
    if let rotatingFrom { text += "rotating-from \(rotatingFrom)\n".utf8 }
    for writer in rotatingWriters.sorted() { text += "rotating-writer \(writer)\n".utf8 }
    if let acceptedAt { text += "accepted-at \(acceptedAt)\n".utf8 }
    for (kind, names) in [
      (Kind.operation, operations), (.accepted, accepted), (.forgotten, forgotten),
    ] {
      let word = Array("\(kind.word)".utf8)
      var writer: WriterID?
      for name in names {
        if name.writer != writer {
          writer = name.writer
          text += word
          text.append(hexOf: name.writer.words)
          text.append(10)
        }
        name.appendStem(to: &text)
        text.append(10)
      }
    }
    text += "end\n".utf8
    return text
  }
}
