import TestSupport
import Testing

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
