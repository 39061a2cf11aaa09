import CSPP
import LogState

// Short values for tests: a number stands for an identifier.

extension HexIdentifier {
  init(_ number: UInt64) {
    var words = Words()
    words[0] = number
    self.init(words: words)
  }
}

func wallet(
  _ record: UInt64, _ bytes: UInt64, contents: UInt64? = nil, by author: UInt64? = nil
) -> ItemVersion {
  ItemVersion(
    wallet: RecordID(record), entry: Digest(bytes), contents: Digest(contents ?? bytes),
    by: author.map { SigningKey($0) })
}

func file(
  _ file: UInt64, _ bytes: UInt64, contents: UInt64? = nil, by author: UInt64? = nil,
  of copied: VersionName? = nil
) -> ItemVersion {
  ItemVersion(
    file: FileID(file), bytes: Digest(bytes), contents: Digest(contents ?? bytes),
    by: author.map { SigningKey($0) }, copied: copied)
}

/// An ordinary operation; its digest is made of its place.
func operation(
  _ namespace: UInt64, _ writer: UInt64, _ counter: UInt64, digest: UInt64? = nil,
  after previous: UInt64? = nil, seen: [OperationID] = [], at: UInt64 = 0, _ changes: Change...
) -> OrdinaryOperation {
  OrdinaryOperation(
    in: NamespaceID(namespace), by: WriterID(writer), counter,
    Digest(digest ?? namespace << 32 | writer << 16 | counter),
    after: previous.map { Digest($0) }, seen: seen, at: at, changes)
}

func begin(_ taken: UInt64..., operations: Set<OperationID> = []) -> Change {
  .begin(takesOver: Set(taken.map { NamespaceID($0) }), operations: operations)
}

func sealed(
  _ namespace: UInt64, _ key: UInt64, _ counter: UInt64, digest: UInt64? = nil,
  after previous: UInt64? = nil, _ added: [ItemVersion] = [],
  ends: [(file: FileID, bytes: Digest)] = []
) -> SilentOperation {
  SilentOperation(
    to: NamespaceID(namespace), signedBy: SigningKey(key), counter,
    Digest(digest ?? 1 << 48 | namespace << 32 | key << 16 | counter),
    after: previous.map { Digest($0) }, added: added, ended: ends)
}

func addWriter(_ key: UInt64, _ rights: Rights, label: Label = Label("", at: 0)) -> Change {
  .addWriter(SigningKey(key), id: WriterID(key), rights: rights, label: label)
}

extension LogContents {
  /// The contents of ordinary operations.
  init(_ operations: OrdinaryOperation...) { self.init(operations.map(LogEntry.operation)) }
}

extension LogState {
  init(_ operations: OrdinaryOperation..., current: UInt64 = 1) {
    self.init(
      of: LogContents(operations.map(LogEntry.operation)), current: NamespaceID(current))
  }
}
