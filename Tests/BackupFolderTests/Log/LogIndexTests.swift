import Testing

@testable import BackupFolder
@testable import CSPP

/// The rules of `seen`, on the index alone.
struct LogIndexTests {
  private let a = WriterID(words: [1, 1])
  private let b = WriterID(words: [2, 2])
  private let record = RecordID(walletID: "w")

  private func digest(_ number: UInt64) -> Digest { Digest(words: [number, 0, 0, number]) }

  /// Adds operation `number` with one `put` of value 100 + number.
  private func put(
    _ index: inout LogIndex, _ writer: WriterID, _ counter: UInt64, _ number: UInt64,
    previous: UInt64? = nil, seen: [(WriterID, UInt64, UInt64)] = [], remove: Bool = false
  ) {
    let node = index.append(
      Operation.Seen(writerID: writer, counter: counter, digest: digest(number)),
      previous: previous.map(digest),
      seen: seen.map { Operation.Seen(writerID: $0.0, counter: $0.1, digest: digest($0.2)) })
    if let node {
      index.append(
        record: record, value: remove ? nil : digest(100 + number), node: node, change: 0)
    }
  }

  private func live(_ index: LogIndex) -> Set<UInt64> {
    Set(index.live(record).compactMap { index.versions[$0].value?.words.w })
  }

  @Test
  func `An operation supersedes what its seen reaches through previous, and nothing else`() {
    var index = LogIndex()
    put(&index, a, 1, 1)
    put(&index, a, 2, 2, previous: 1)
    #expect(live(index) == [101, 102])
    put(&index, b, 1, 3, seen: [(a, 1, 1)])
    #expect(live(index) == [102, 103])
    put(&index, b, 2, 4, previous: 3, seen: [(a, 2, 2), (b, 1, 3)])
    #expect(live(index) == [104])
  }

  @Test
  func `A remove that did not see a put leaves it; one that did ends it`() {
    var index = LogIndex()
    put(&index, a, 1, 1)
    put(&index, b, 1, 2, remove: true)
    #expect(live(index) == [101])
    put(&index, b, 2, 3, previous: 2, seen: [(a, 1, 1), (b, 1, 2)], remove: true)
    #expect(live(index) == [])
    #expect(index.standing(of: digest(101), record: record) == .superseded)
    #expect(index.standing(of: digest(999), record: record) == .unknown)
  }

  @Test
  func `Of a fork only the branch that was seen is covered`() {
    var index = LogIndex()
    put(&index, a, 1, 1)
    put(&index, a, 2, 2, previous: 1)
    put(&index, a, 2, 3, previous: 1)
    put(&index, a, 3, 4, previous: 3)
    put(&index, b, 1, 5, seen: [(a, 3, 4)])
    #expect(live(index) == [102, 105])
    let ends = index.tips().map { "\($0.counter) \($0.digest.words.w)" }
    #expect(ends == ["2 2", "3 4", "1 5"])
    let health = index.health(localState: LocalState(), unsynchronised: [])
    #expect(health.forked == 1)
    #expect(health.incomplete == 0)
  }

  @Test
  func `What comes after a gap is shown, but no operation may say it has seen it`() {
    var index = LogIndex()
    put(&index, a, 1, 1)
    put(&index, a, 3, 3, previous: 2)
    #expect(live(index) == [101, 103])
    #expect(index.tips().map(\.counter) == [1])
    #expect(index.health(localState: LocalState(), unsynchronised: []).incomplete == 1)
  }

  @Test
  func `A chain of another writer, or with a counter left out, is none`() {
    var index = LogIndex()
    put(&index, a, 1, 1)
    put(&index, b, 2, 2, previous: 1)
    put(&index, a, 3, 3, previous: 1)
    #expect(index.tips().map(\.digest) == [digest(1)])
  }

  @Test
  func `A reference that a file contradicts is a fork; equal bytes are no conflict`() {
    var index = LogIndex()
    put(&index, a, 1, 1)
    put(&index, b, 1, 2, seen: [(a, 1, 99)])
    #expect(index.health(localState: LocalState(), unsynchronised: []).forked == 1)
    var same = LogIndex()
    put(&same, a, 1, 1)
    let node = same.append(
      Operation.Seen(writerID: b, counter: 1, digest: digest(7)), previous: nil, seen: [])
    same.append(record: record, value: digest(101), node: node ?? 0, change: 0)
    #expect(same.live(record).count == 1)
    #expect(!same.isConflicted(record))
  }

  @Test
  func `The same file under two names is one operation`() {
    var index = LogIndex()
    put(&index, a, 1, 1)
    put(&index, a, 1, 1)
    #expect(index.nodes.count == 1)
    #expect(index.versions.count == 1)
  }

  @Test
  func `Memory is read as it was written; anything else is no memory`() {
    var localState = LocalState()
    localState.writer = a
    localState.creating = true
    let name = OperationName(writer: a, counter: 123_456_789, digest: digest(5))
    localState.lastOwn = name
    localState.operations = [name, OperationName(writer: b, counter: 1, digest: digest(6))]
    localState.acceptedAt = 17
    localState.accepted = [name, OperationName(writer: b, counter: 2, digest: digest(7))]
    localState.forgotten = [OperationName(writer: b, counter: 3, digest: digest(8))]
    let bytes = localState.bytes
    #expect(LocalState(bytes.span) == localState)
    let digits = { (number: UInt64) in WriterID(words: [number, 0]) }
    #expect(
      String(decoding: bytes, as: UTF8.self) == """
        keybackup-memory 2
        writer \(a)
        last \(name)
        creating
        accepted-at 17
        operation \(a)
        123456789-\(digits(5))
        operation \(b)
        00000001-\(digits(6))
        accepted \(a)
        123456789-\(digits(5))
        accepted \(b)
        00000002-\(digits(7))
        forgotten \(b)
        00000003-\(digits(8))
        end

        """)
    // The first version named the writer in every line.
    let older = Array(
      """
      keybackup-memory 1
      writer \(a)
      last \(name)
      creating
      accepted-at 17
      operation \(name)
      operation \(b)/00000001-\(digits(6))
      accepted \(b)/00000002-\(digits(7))
      accepted \(name)
      forgotten \(b)/00000003-\(digits(8))
      end

      """.utf8)
    #expect(LocalState(older.span) == localState)
    let cut = Array(bytes.dropLast(5))
    #expect(LocalState(cut.span) == nil)
    #expect(LocalState([UInt8]().span) == nil)
    let longer = bytes + Array("more\n".utf8)
    #expect(LocalState(longer.span) == nil)
    #expect(OperationName(name.description) == name)
    #expect(OperationName("x/1-2") == nil)
  }
}
