import ArgumentParser
import HistoryOptions
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

  @OptionGroup var options: HistoryOptions
  @Option(help: "Leave this rule out; may be repeated.")
  var without: [String] = []
  @Flag(help: "Leave out each rule in turn, and count the histories that end badly.")
  var each = false
  @Flag(help: "Count the histories that end badly, and show only the shortest.")
  var count = false

  func run() throws {
    let histories = try options.all(History.self)
    if each {
      for rule in Rule.allCases { count(rule.name, Rules(without: [rule]), histories) }
      return
    }
    let rules = Rules(without: try without.map(Self.rule))
    if count { return count(without.joined(separator: ", "), rules, histories) }
    var bad = 0
    var operations = 0
    for history in histories {
      let outcome = history.play(rules)
      operations += outcome.operations
      if options.show { for line in outcome.trace { print("  \(line)") } }
      if outcome.violations.isEmpty { continue }
      bad += 1
      let shrunk = options.isExact ? history : history.shrunk(rules)
      print("BAD: \(shrunk)")
      for line in shrunk.play(rules).trace { print("    \(line)") }
      if bad == options.failures { break }
    }
    print("\(options.count) histories, \(operations) operations, \(bad) bad")
    if bad > 0 { throw ExitCode.failure }
  }

  /// Counts the histories that end badly without some rules, and finds a short one.
  private func count(_ name: String, _ rules: Rules, _ histories: some Sequence<History>) {
    var (bad, shortest) = (0, nil as (history: History, words: String)?)
    for history in histories {
      guard !history.play(rules).violations.isEmpty else { continue }
      bad += 1
      if bad > 20 { continue }
      let shrunk = history.shrunk(rules)
      if shrunk.steps.count < shortest?.history.steps.count ?? .max {
        shortest = (shrunk, shrunk.play(rules).violations.first ?? "")
      }
    }
    print("\(name): \(bad) of \(options.count)")
    if let shortest { print("    \(shortest.history): \(shortest.words)") }
  }

  private static func rule(_ name: String) throws -> Rule {
    guard let rule = Rule(name: name) else { throw ValidationError("no such rule: \(name)") }
    return rule
  }
}
