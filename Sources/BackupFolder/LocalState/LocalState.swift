// This folder is for what this computer remembers of a folder, and the lock around it.
// Other rooms read and save LocalState through StateFolder; they change a namespace only
// within a WritingRun. What the memory means for the logs is decided in Freshness, not
// here.

internal import CSPP

/// What is remembered of one namespace (docs/format.md, *What a computer
/// remembers*).
struct LocalState: Equatable {
  /// Who this computer writes as; `nil` before its first operation.
  var writer: WriterID?
  /// The last operation it published as that writer.
  var lastOwn: OperationName?
  /// `init` began here and may not have finished.
  var creating = false
  /// Every operation that was ever opened with the key, of every writer, but
  /// for ``forgotten`` ones.
  var operations: OperationNames = []
  /// When a person last took the folder as it stood for what counts, Unix
  /// seconds; `nil` if never.
  var acceptedAt: UInt64?
  /// What lay in the log then, opened or not.
  ///
  /// A contradiction or gap that these alone make is no news; one that a later
  /// operation makes is.
  var accepted: OperationNames = []
  /// Operations that had been opened and were gone when a person accepted that:
  /// what names them counts as another program's, not as rolled back.
  var forgotten: OperationNames = []
  /// The namespace that follows this one, once it was opened through a key slot of
  /// its own or a person has compared its ID.
  var movedTo: NamespaceID?
  /// Whether this one was opened so, or compared.
  var isTrusted = false
  /// The namespaces that this one follows.
  var earlier: Set<NamespaceID> = []
  /// The namespace from which a rotation of the master key began to carry over
  /// here, and has not finished.
  var rotatingFrom: NamespaceID?
  /// Who this computer wrote as during that rotation.
  var rotatingWriters: Set<WriterID> = []

  /// Nothing is remembered.
  init() {}

  /// Takes the folder as it is for what was seen.
  ///
  /// - Parameters:
  ///   - present: every operation that lies in the log.
  ///   - awaited: operations whose file is there and not synchronised yet; they
  ///     stay remembered.
  ///   - time: Unix seconds.
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

/// The memory's file: lines of text, the last of which shows that none is
/// missing.
///
/// Read and written as bytes: there is a line for every operation of every
/// computer, and every command reads them all. Version 1 had the writer in each
/// of these lines; it is still read.
extension LocalState {
  static let header = "keybackup-memory 2"
  private static let headers: [StaticString] = ["keybackup-memory 2", "keybackup-memory 1"]

  /// Reads what ``bytes`` wrote; `nil` for anything else.
  init?(_ bytes: Span<UInt8>) {
    var names = [ContiguousArray<OperationName>](repeating: [], count: Kind.allCases.count)
    // What the lines with a counter and a digest are about.
    var run: (kind: Kind, writer: WriterID)?
    var (number, start, isWhole) = (0, 0, false)
    while start < bytes.count {
      var end = start
      while end < bytes.count, bytes[end] != 10 { end += 1 }
      let line = bytes.extracting(start..<end)
      start = end + 1
      if line.isEmpty { continue }
      // Nothing comes after the end.
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

  /// What a line with an operation's name says of it.
  private enum Kind: Int, CaseIterable {
    case operation
    case accepted
    case forgotten

    /// The line's first word, and the space behind it.
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

  /// Reads one of the lines that come once; says whether it is one.
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

  /// The file.
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
