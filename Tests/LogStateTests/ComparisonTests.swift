import TestSupport
import Testing

// Each rule of reading was left out in LogState by hand, one at a time, and log-state-check or a test told:
//
// | without | differs |
// |---|---|
// | the signing key in names (rule 1) | test: known answers |
// | the version that is copied in names (rule 1) | test: known answers |
// | an earlier namespace only offers (rule 2) | slots, told |
// | another backup is not mixed in (rule 2) | offered |
// | none takes itself over (rule 2) | must wait, new computer, successors |
// | a namespace is whole before one moves to it (rule 2) | step |
// | the beginning names its drafts (rule 2) | new computer, step, whole |
// | the earlier ones that were seen are remembered (rule 2) | earlier, told |
// | a new computer takes none that was taken over (rule 2) | new computer |
// | ... by whatever opens, also by a box (rule 2) | new computer |
// | ... and that took over all others (rule 2) | new computer |
// | a new computer takes none that is not whole (rule 2) | new computer |
// | a writer that was told of a successor stops (rule 2) | must wait, unanswered |
// | a hint stops a writer, too (rule 2) | must wait, unanswered |
// | a computer never moves in a circle (rule 2) | step |
// | of two it moves to the one that took over the other (rule 2) | step |
// | a refusal of a namespace covers an earlier one only (rule 3) | refused |
// | what does not count is offered (rule 3) | history, offered |
// | a view file adds its version (rule 3) | live |
// | a view file only shows what a silent writer adds (rule 3) | live |
// | a silent wallet beside another is offered (rule 3) | live, offered |
// | a refusal has an effect (rule 3) | refused |
// | a refusal of a key that counts has none (rule 3) | refused |
// | a refused namespace adds no silent writers (rule 3) | faded, history, offered |
// | what was dropped is no history (rule 3) | history |
// | a drop ends (rule 3) | ended, live, settled |
// | what is said is not told (rule 3) | told |
// | a removed key slot does not come back (rule 3) | slots |
// | a silent writer ends only its own (rule 4) | ended, history, live |
// | a silent writer adds only its own (rule 4) | live |
// | ... and no copies (rule 4) | test: SilentWriterTests |
// | ... wallets only with the right (rule 4) | live, offered |
// | rights of counting operations only (rule 4) | live |
// | only a counting operation authorises (rule 4) | live, offered |
// | a retired key does not count (rule 4) | live, offered |
// | only a counting operation retires (rule 4) | retired, told, writers |
// | what a retired key wrote is offered (rule 4) | offered, waiting |
// | what only earlier namespaces have added offers (rule 4) | offered, waiting |
// | sealed to an earlier inbox counts (rule 4) | live, offered |
// | sealed to an unrelated inbox does not count (rule 4) | live, offered, waiting |
// | a copy is set aside when its writer goes on (rule 4) | aside, history, live |
// | ... only while that writer has a live version (rule 4) | test: SilentWriterTests |
// | ... that is no copy itself (rule 4) | aside, history, live |
// | appending: what counts is told no longer | the state after a file |
// | appending: a retirement is read from scratch | the state after a file |
// | appending: an end changes its item | the state after a file |
// | appending: an end changes the copies | test: SilentWriterTests |
// | findings: what `previous` names is missing | missing |
// | findings: two at one place are a fork | forks |
// | findings: a deleted namespace is not rolled back | rolled back |
// | freshness: an end that is not here is lacking | lacking |
//
// The duties of writers (Sources/LogState/Duties) are compared too. compare.py leaves each out in Python, one at a time:
// `compare.py PROGRAM mutants SETS`. With 400 sets of each scope 22 of 31 are seen, with 8,000 of a fitting scope four more.
// DutyTests has the others: end-aside, forget-adds, works, slots-of-all, repeat-ordinary.

/// LogState and the rules in Python (Tests/fold/fold.py) share no code, and must agree.
@Suite("LogState and fold.py")
struct ComparisonTests {
  private static func compare(_ arguments: [String]) throws -> (
    code: Int32, sets: Int, output: String
  ) {
    let script =
      #filePath.split(separator: "/").dropLast(2).reduce("") { $0 + "/" + $1 }
      + "/fold/compare.py"
    let run = try FinishedProgram(
      ["/usr/bin/env", "python3", "-B", script, BuiltProduct.path("log-state-check")] + arguments)
    let sets = run.output.firstMatch(of: #/(\d+) sets of files compared/#).flatMap { Int($0.1) }
    return (run.code, sets ?? 0, run.output)
  }

  @Test func `Every history of small scopes means the same`() throws {
    let found = try Self.compare(["exhaustive", "150"])
    #expect(found.code == 0, "\(found.output.suffix(2000))")
    #expect(found.sets > 20_000)
  }

  @Test func `The same sets in every run mean the same, with every file that is added`() throws {
    let found = try Self.compare(["sets", "2000"])
    #expect(found.code == 0, "\(found.output.suffix(2000))")
    #expect(found.sets > 90_000)
  }

  @Test func `Random longer histories mean the same`() throws {
    let found = try Self.compare(["random", "40", String(TestSeed.value % 1_000_000)])
    #expect(found.code == 0, "\(found.output.suffix(2000))")
    #expect(found.sets > 1_000)
  }
}
