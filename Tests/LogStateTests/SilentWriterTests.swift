import CSPP
import LogState
import Testing

/// What the comparison with fold.py meets seldom or never.
@Suite("Rule 4: silent writers")
struct SilentWriterTests {
  static let base = file(7, 1, by: 3)

  static func state(_ entries: LogEntry...) -> LogState {
    LogState(of: LogContents(entries), current: NamespaceID(1 as UInt64))
  }

  static func word(_ counter: UInt64, _ added: [ItemVersion], ends bytes: UInt64...) -> LogEntry {
    .sealed(sealed(1, 3, counter, added, ends: bytes.map { (FileID(7 as UInt64), Digest($0)) }))
  }

  static let authorised = LogEntry.operation(operation(1, 1, 1, begin(2), addWriter(3, .files)))

  @Test func `A silent writer adds no copies, and nothing of another key`() {
    let copy = file(7, 2, by: 3, of: Self.base.name)
    let state = Self.state(
      Self.authorised, Self.word(1, [Self.base, copy, file(7, 3, by: 4), file(7, 4)]))
    #expect(state.versions(\.live) == [Self.base] && state.items.count == 1)
  }

  @Test func `An earlier namespace gives no more rights to a key that counts`() {
    let state = Self.state(
      Self.authorised, .operation(operation(2, 1, 1, addWriter(3, [.files, .wallets]))),
      Self.word(1, [wallet(5, 9, by: 3), Self.base]))
    #expect(state.versions(\.live) == [Self.base] && state.versions(\.offered).isEmpty)
  }

  @Test func `A copy is set aside while its writer goes on`() {
    let copy = file(7, 2, contents: 1, by: 3, of: Self.base.name)
    let next = file(7, 3, by: 3)
    let chosen = LogEntry.operation(operation(1, 1, 2, .add(copy), .end(Self.base.name)))
    let state = Self.state(
      Self.authorised, Self.word(1, [Self.base]), chosen, Self.word(2, [next], ends: 1))
    #expect(state.versions(\.live) == [next] && state.versions(\.aside) == [copy])
    let ended = state.appending(.operation(operation(1, 1, 3, .end(next.name))))
    #expect(ended.versions(\.live) == [copy], "only while that writer has a live version")
    let retired = state.appending(
      .operation(operation(1, 1, 3, .retireWriter(SigningKey(3 as UInt64)))))
    #expect(retired.versions(\.live) == [copy] && retired.versions(\.offered) == [next])
  }

  @Test func `A copy is set aside for its own writer only, also where the original never arrived`()
  {
    let copy = file(7, 2, contents: 1, by: 3, of: Self.base.name)
    let chosen = LogEntry.operation(operation(1, 1, 2, addWriter(4, .files), .add(copy)))
    let other = file(7, 5, by: 4)
    let ends = Self.word(3, [], ends: 1)
    let state = Self.state(Self.authorised, chosen, .sealed(sealed(1, 4, 1, [other])), ends)
    #expect(state.versions(\.live) == [copy, other] && state.versions(\.aside).isEmpty)
    let next = file(7, 3, by: 3)
    let before = Self.state(Self.authorised, chosen, Self.word(2, [next]))
    #expect(before.versions(\.live) == [copy, next])
    let after = before.appending(ends)
    #expect(after.versions(\.live) == [next] && after.versions(\.aside) == [copy])
  }

  @Test func `A refused namespace adds no silent writers`() {
    let entries: [LogEntry] = [
      .operation(operation(1, 1, 1, begin(2))),
      .operation(operation(2, 1, 1, addWriter(3, .files))), Self.word(1, [Self.base]),
    ]
    let offered = LogState(of: LogContents(entries), current: NamespaceID(1 as UInt64))
    #expect(offered.versions(\.offered) == [Self.base])
    let refused = offered.appending(
      .operation(operation(1, 1, 2, .refuse(.namespace(NamespaceID(2 as UInt64))))))
    #expect(refused.versions(\.offered).isEmpty && refused.versions(\.faded) == [Self.base])
    let key = offered.appending(
      .operation(operation(1, 1, 2, .refuse(.key(SigningKey(3 as UInt64))))))
    #expect(key.versions(\.faded) == [Self.base])
  }

  @Test func `A key that nobody has added waits, and another backup is not mixed in`() {
    let operation = sealed(1, 3, 1, [Self.base])
    let state = Self.state(.sealed(operation))
    #expect(state.waiting == [operation.name] && state.items.isEmpty)
    let other = Self.state(Self.authorised, .sealed(sealed(9, 3, 1, [Self.base])))
    #expect(other.items.isEmpty && other.waiting.isEmpty)
  }
}
