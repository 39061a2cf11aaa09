import SilentWriterModel
import TestSupport
import Testing

/// Random histories of files and silent writers (Tests/SilentWriterModel).
///
/// `make model HISTORIES=10000` plays more of them.
@Suite struct SilentWriterHistoryTests {
  @Test(arguments: History.Kind.allCases)
  func `Random histories break no promise`(_ kind: History.Kind) {
    let histories: UInt64 = 300
    print("silent writers: \(histories) histories of kind \(kind), seed \(TestSeed.value)")
    for number in 0..<histories {
      let history = History(kind, seed: TestSeed.value &+ number)
      if history.play().violations.isEmpty { continue }
      let shrunk = history.shrunk()
      let outcome = shrunk.play()
      #expect(
        outcome.violations == [], "\(shrunk)\n\(outcome.trace.joined(separator: "\n"))")
      return
    }
  }

  @Test(arguments: BrokenPromise.all)
  func `A history without a rule breaks a promise, and with it none`(_ example: BrokenPromise) {
    #expect(example.history.play(Rules(without: example.without)).violations != [])
    #expect(example.history.play().violations == [])
  }

  /// Their reasons are in docs/decisions/0042-silent-writer-model.md.
  @Test func `Every rule has such a history, but those whose reason is written down`() {
    let shown = Set(BrokenPromise.all.flatMap(\.without))
    let explained: Set<Rule> = [
      .followsHighest, .gapRetire, .gapPrune, .resetByLive, .liveNotDropped, .lastName,
      .carriedLists,
    ]
    #expect(shown.isDisjoint(with: explained))
    #expect(shown.union(explained) == Set(Rule.allCases))
  }

  @Test func `A rule is found by its name`() {
    for rule in Rule.allCases { #expect(Rule(name: rule.name) == rule) }
    #expect(Rule(name: "object-left") == .objectLeft)
    #expect(Rule(name: "") == nil)
  }
}
