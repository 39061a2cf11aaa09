import ArgumentParser
import FolderModel
import HistoryOptions

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

  @OptionGroup var options: HistoryOptions

  func run() throws {
    var (runs, bad) = (0, 0)
    for history in try options.all(History.self) {
      let outcome = history.play()
      runs += outcome.runs
      if options.show { for line in outcome.trace { print("  \(line)") } }
      if outcome.violations.isEmpty { continue }
      bad += 1
      report(history)
      if bad == options.failures { break }
    }
    print("\(options.count) histories, \(runs) runs, \(bad) bad")
    if bad > 0 { throw ExitCode.failure }
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
