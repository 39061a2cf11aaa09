import CSPP
import LogState
import Testing

@Suite("Findings and freshness")
struct FindingsTests {
  static let one = NamespaceID(1 as UInt64)

  static func state(_ entries: LogEntry..., current: UInt64 = 1) -> LogState {
    LogState(of: LogContents(entries), current: NamespaceID(current))
  }

  @Test func `A gap is told for each chain, and changes nothing`() {
    let first = operation(1, 1, 1, begin(), addWriter(3, .files))
    let third = operation(1, 1, 3, after: 77, .add(wallet(5, 1)))
    let silent = sealed(1, 3, 2, after: 88, [file(7, 1, by: 3)])
    let state = Self.state(.operation(first), .operation(third), .sealed(silent))
    let findings = state.findings()
    #expect(findings.missing[third.name.chain] == third.previous.map { [$0] })
    #expect(findings.missing[silent.name.chain] == silent.previous.map { [$0] })
    #expect(findings.missesOrdinary(in: [Self.one]) && !findings.missesOrdinary(in: []))
    #expect(findings.misses(silent: [SigningKey(3 as UInt64)]))
    #expect(!findings.misses(silent: [SigningKey(4 as UInt64)]))
    #expect(state.versions(\.live).count == 2)
    #expect(findings.forks.isEmpty && findings.rolledBack.isEmpty)
  }

  @Test func `What others have seen is missing, but not of a namespace that was deleted`() {
    let gone = operation(2, 1, 1, begin())
    let lost = operation(1, 2, 1, .add(wallet(5, 1)))
    let last = operation(1, 1, 1, seen: [gone.name, lost.name], begin(2))
    let findings = Self.state(.operation(last)).findings()
    #expect(findings.missing == [lost.name.chain: [lost.name]])
  }

  @Test func `Two operations at one place are a fork, also one that is only named`() {
    let (left, right) = (
      operation(1, 1, 1, digest: 1, begin()), operation(1, 1, 1, digest: 2, .add(wallet(5, 1)))
    )
    let both = Self.state(.operation(left), .operation(right)).findings()
    #expect(both.forks == [left.name.chain: [1: [left.name, right.name]]])
    #expect(both.missing.isEmpty)
    let named = Self.state(.operation(left), .operation(operation(1, 1, 2, after: 2))).findings()
    #expect(named.forks == both.forks && named.missing == [left.name.chain: [right.name]])
    let silent = Self.state(
      .sealed(sealed(1, 3, 1, digest: 1)), .sealed(sealed(1, 3, 1, digest: 2))
    ).findings()
    #expect(silent.forks.count == 1)
    #expect(Self.state(.operation(left), .operation(left)).findings().isEmpty, "a copy is no fork")
  }

  @Test func `A beginning that lost what it lists is half`() {
    let draft = operation(1, 1, 1, .retireWriter(SigningKey(3 as UInt64)))
    let last = operation(1, 1, 2, begin(operations: [draft.name]))
    let findings = Self.state(.operation(last)).findings()
    #expect(findings.halves == [Self.one] && findings.missing[draft.name.chain] == [draft.name])
    #expect(Self.state(.operation(draft), .operation(last)).findings().isEmpty)
  }

  @Test func `What this computer wrote or saw and is gone is rolled back`() {
    let (first, second) = (
      operation(1, 1, 1, begin(2)), operation(1, 2, 1, .add(wallet(5, 1)))
    )
    let old = operation(2, 1, 1, begin())
    var memory = Remembered(current: Self.one)
    memory.note(LogContents(first, second, old))
    memory.note(own: first.name)
    #expect(memory.earlier == [NamespaceID(2 as UInt64)])
    let whole = Self.state(.operation(first), .operation(second), .operation(old))
    #expect(whole.findings(memory).isEmpty)
    let less = Self.state(.operation(first), .operation(old))
    #expect(less.findings(memory).rolledBack == [second.name])
    #expect(less.findings().isEmpty, "only who remembers can tell")
    memory.note(less.contents)
    #expect(less.findings(memory).rolledBack == [second.name], "a look does not forget")
    memory.accept(less.contents)
    #expect(less.findings(memory).isEmpty)
    let deleted = Self.state(.operation(first))
    #expect(deleted.findings(memory).isEmpty, "an earlier namespace may be deleted")
    let nothing = LogState(of: LogContents(), current: Self.one)
    #expect(nothing.findings(memory).rolledBack == [first.name])
  }

  @Test func `An older set of files is told by what was seen`() {
    let (first, second) = (operation(1, 1, 1, begin()), operation(1, 1, 2, .add(wallet(5, 1))))
    let (less, more) = (LogContents(first), LogContents(first, second))
    func compare(_ seen: LogContents, _ here: LogContents) -> Freshness.Comparison {
      .init(Freshness(of: seen, in: [Self.one]), here)
    }
    #expect(compare(more, more) == .same)
    #expect(compare(less, more) == .newer)
    #expect(compare(more, less) == .lacking([second.name]))
    #expect(compare(more, LogContents()) == .lacking([second.name]))
    #expect(compare(LogContents(), LogContents()) == .same)
  }

  /// The value is that of docs/format.md and of Tests/Vectors/cspp/namespace-example.
  @Test func `The freshness word is that of the format`() throws {
    let namespace = try #require(NamespaceID(hex: "2bf24cb52de957e30a323188ec969cd4"))
    let writer = try #require(WriterID(hex: "5081d2cdaff825c1db9fdda4112ef676"))
    let zeros = String(repeating: "0", count: 32)
    let digest = try #require(Digest(hex: "66a3127eaf850d62e9139e27a26d2152" + zeros))
    let first = OrdinaryOperation(in: namespace, by: writer, 1, digest, [])
    var contents = LogContents(first)
    func word() -> String { Freshness(of: contents, in: [namespace]).word(of: namespace) }
    #expect(word() == "70acwb1sm08dhczd")
    contents.insert(.sealed(sealed(9, 3, 1)))
    #expect(word() == "70acwb1sm08dhczd", "other namespaces and sealed operations are left out")
    contents.insert(.operation(OrdinaryOperation(in: namespace, by: writer, 2, digest, [])))
    #expect(word() != "70acwb1sm08dhczd")
  }
}

extension Freshness.Comparison {
  fileprivate init(_ seen: Freshness, _ contents: LogContents) {
    self = Freshness.compare(seen, with: contents, current: FindingsTests.one)
  }
}
