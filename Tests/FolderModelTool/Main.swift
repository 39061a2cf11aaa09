import ArgumentParser
import FolderModel
import Glibc

/// Plays random histories of computers that share a backup folder.
@main
struct FolderModelTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "folder-model",
    abstract: "Plays random histories of computers that share a backup folder.",
    discussion: """
      A history that ends badly is printed with the steps that it takes; `--seed`, `--kind` and
      `--steps` play it again.
      """)

  @Option(help: "How many histories.")
  var histories = 1000
  @Option(help: "The first one's seed; each one more has the next.")
  var seed = UInt64.random(in: 0..<1_000_000_000)
  @Option(help: "plain, crash, clone, attack, plant or partial; else all in turn.")
  var kind: String?
  @Option(help: "Only these steps of one history: numbers with commas.")
  var steps: String?
  @Flag(help: "Show what happened also where all is well.")
  var show = false
  @Option(help: "Stop after so many bad histories.")
  var failures = 5

  func run() throws {
    let kinds = try kinds()
    print("seed \(seed)")
    var (runs, bad) = (0, 0)
    for number in 0..<(steps == nil ? histories : 1) {
      let seed = seed + UInt64(number)
      var history = History(kinds[Int(seed % UInt64(kinds.count))], seed: seed)
      if let steps { history.steps = steps.split(separator: ",").compactMap { Int($0) } }
      let outcome = history.play()
      runs += outcome.runs
      if show { for line in outcome.trace { print("  \(line)") } }
      if outcome.violations.isEmpty { continue }
      bad += 1
      report(history)
      if bad == failures { break }
    }
    print("\(histories) histories, \(runs) runs, \(bad) bad")
    if bad > 0 { throw ExitCode.failure }
  }

  private func kinds() throws -> [History.Kind] {
    guard let kind else { return History.Kind.allCases }
    guard let one = History.Kind(rawValue: kind) else {
      throw ValidationError("no such kind of history: \(kind)")
    }
    return [one]
  }

  private func report(_ history: History) {
    print("BAD: \(history)")
    let shrunk = history.shrunk()
    for _ in 0..<5 {
      // Random names that the program chooses may decide.
      let outcome = shrunk.play()
      if outcome.violations.isEmpty { continue }
      print("  shrunk: \(shrunk)")
      for line in outcome.trace { print("    \(line)") }
      return
    }
    print("  not every time")
  }
}
