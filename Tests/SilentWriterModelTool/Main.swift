import ArgumentParser
import SilentWriterModel

/// Plays random histories of files and silent writers against the rules of reading them.
@main
struct SilentWriterModelTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "silent-writer-model",
    abstract: "Plays random histories of files and silent writers, in memory.",
    discussion: """
      A history that ends badly is printed with the steps that it takes; `--seed`, `--kind` and
      `--steps` play it again.
      """)

  @Option(help: "How many histories.")
  var histories = 10_000
  @Option(help: "The first one's seed; each one more has the next.")
  var seed = UInt64.random(in: 0..<1_000_000_000)
  @Option(help: "plain, disks, folder, thief, rotation, retention or all; else all in turn.")
  var kind: String?
  @Option(help: "Only these steps of one history: numbers with commas.")
  var steps: String?
  @Option(help: "Leave this rule out; may be repeated.")
  var without: [String] = []
  @Flag(help: "Leave out each rule in turn, and count the histories that end badly.")
  var each = false
  @Flag(help: "Count the histories that end badly, and show only the shortest.")
  var count = false
  @Flag(help: "Show what happened also where all is well.")
  var show = false
  @Option(help: "Stop after so many bad histories.")
  var failures = 3

  func run() throws {
    print("seed \(seed)")
    let kinds = try kinds()
    if each {
      for rule in Rule.allCases { count(rule.name, Rules(without: [rule]), kinds) }
      return
    }
    let rules = Rules(without: try without.map(Self.rule))
    if count { return count(without.joined(separator: ", "), rules, kinds) }
    var bad = 0
    var operations = 0
    for number in 0..<(steps == nil ? histories : 1) {
      let history = history(number, kinds)
      let outcome = history.play(rules)
      operations += outcome.operations
      if show { for line in outcome.trace { print("  \(line)") } }
      if outcome.violations.isEmpty { continue }
      bad += 1
      let shrunk = steps == nil ? history.shrunk(rules) : history
      print("BAD: \(shrunk)")
      for line in shrunk.play(rules).trace { print("    \(line)") }
      if bad == failures { break }
    }
    print("\(histories) histories, \(operations) operations, \(bad) bad")
    if bad > 0 { throw ExitCode.failure }
  }

  private func history(_ number: Int, _ kinds: [History.Kind]) -> History {
    let seed = seed + UInt64(number)
    var history = History(kinds[Int(seed % UInt64(kinds.count))], seed: seed)
    if let steps { history.steps = steps.split(separator: ",").compactMap { Int($0) } }
    return history
  }

  /// Counts the histories that end badly without some rules, and finds a short one.
  private func count(_ name: String, _ rules: Rules, _ kinds: [History.Kind]) {
    var (bad, shortest) = (0, nil as (history: History, words: String)?)
    for number in 0..<histories {
      let history = history(number, kinds)
      guard !history.play(rules).violations.isEmpty else { continue }
      bad += 1
      if bad > 20 { continue }
      let shrunk = history.shrunk(rules)
      if shrunk.steps.count < shortest?.history.steps.count ?? .max {
        shortest = (shrunk, shrunk.play(rules).violations.first ?? "")
      }
    }
    print("\(name): \(bad) of \(histories)")
    if let shortest { print("    \(shortest.history): \(shortest.words)") }
  }

  private static func rule(_ name: String) throws -> Rule {
    guard let rule = Rule(name: name) else { throw ValidationError("no such rule: \(name)") }
    return rule
  }

  private func kinds() throws -> [History.Kind] {
    guard let kind else { return History.Kind.allCases }
    guard let one = History.Kind(rawValue: kind) else {
      throw ValidationError("no such kind of history: \(kind)")
    }
    return [one]
  }
}
