internal import CSPP

/// What is remembered of one namespace (docs/format.md, *What a computer
/// remembers*).
struct Memory: Equatable {
  /// Who this computer writes as; `nil` before its first operation.
  var writer: WriterID?
  /// The last operation it published as that writer.
  var lastOwn: OperationName?
  /// `init` began here and may not have finished.
  var creating = false
  /// Every operation that was ever opened with the key, of every writer, but
  /// for ``forgotten`` ones.
  var operations: Set<OperationName> = []
  /// When a person last took the folder as it stood for what counts, Unix
  /// seconds; `nil` if never.
  var acceptedAt: UInt64?
  /// What lay in the log then, opened or not.
  ///
  /// A contradiction or gap that these alone make is no news; one that a later
  /// operation makes is.
  var accepted: Set<OperationName> = []
  /// Operations that had been opened and were gone when a person accepted that:
  /// what names them counts as another program's, not as rolled back.
  var forgotten: Set<OperationName> = []

  private static let header = "keybackup-memory 1"

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
    _ present: Set<OperationName>, awaited: Set<OperationName>, at time: UInt64
  ) -> Set<OperationName> {
    let lost = operations.subtracting(present).subtracting(awaited)
    forgotten = forgotten.union(lost).subtracting(present)
    operations.subtract(lost)
    accepted = present
    acceptedAt = time
    return lost
  }

  /// Reads what ``text`` wrote; `nil` for anything else.
  init?(text: String) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: true)[...]
    guard lines.popFirst() == Self.header[...], lines.popLast() == "end" else { return nil }
    for line in lines {
      let words = line.split(separator: " ")
      switch (words.first, words.count) {
      case ("writer", 2):
        guard let id = WriterID(hex: String(words[1])) else { return nil }
        writer = id
      case ("creating", 1): creating = true
      case ("accepted-at", 2):
        guard let time = UInt64(words[1]) else { return nil }
        acceptedAt = time
      case ("last", 2), ("operation", 2), ("accepted", 2), ("forgotten", 2):
        guard let name = OperationName(words[1]) else { return nil }
        switch words[0] {
        case "last": lastOwn = name
        case "operation": operations.insert(name)
        case "accepted": accepted.insert(name)
        default: forgotten.insert(name)
        }
      default: return nil
      }
    }
  }

  /// Lines of text, the last of which shows that none is missing.
  var text: String {
    var text = Self.header + "\n"
    if let writer { text += "writer \(writer)\n" }
    if let lastOwn { text += "last \(lastOwn)\n" }
    if creating { text += "creating\n" }
    if let acceptedAt { text += "accepted-at \(acceptedAt)\n" }
    for name in operations.sorted() { text += "operation \(name)\n" }
    for name in accepted.sorted() { text += "accepted \(name)\n" }
    for name in forgotten.sorted() { text += "forgotten \(name)\n" }
    return text + "end\n"
  }
}
