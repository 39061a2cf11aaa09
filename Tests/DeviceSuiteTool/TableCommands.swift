import ArgumentParser
import DeviceSuite
import Foundation

/// Enters outcomes into the table.
struct Table: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Enter outcomes into the table of docs/authenticators.md.",
    discussion: "Cells that no outcome is given for keep what they say.")

  @Option(help: "The document.")
  var document = "docs/authenticators.md"

  @Argument(help: "Files of JSON lines, as `all` prints them; - is standard input.")
  var outcomes: [String]

  func run() throws {
    let text = try String(contentsOfFile: document, encoding: .utf8)
    var table = try RouteTable(in: text)
    for outcome in try read(outcomes) { table.enter(outcome) }
    try table.written(into: text).write(toFile: document, atomically: true, encoding: .utf8)
  }
}

/// Compares outcomes with the table.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Fail unless docs/authenticators.md says what the outcomes say.")

  @Option(help: "The document.")
  var document = "docs/authenticators.md"

  @Option(help: "This route's behaviours must all be among the outcomes; may repeat.")
  var complete: [Route] = []

  @Argument(help: "Files of JSON lines, as `all` prints them; - is standard input.")
  var outcomes: [String]

  func run() throws {
    let text = try String(contentsOfFile: document, encoding: .utf8)
    let table = try RouteTable(in: text)
    let outcomes = try read(outcomes)
    var wrong = outcomes.compactMap { table.contradiction(to: $0) }
    for route in complete {
      let run = Set(outcomes.filter { $0.route == route }.map(\.behaviour))
      let all = Behaviour.all.filter { $0.reasonAgainst(route) == nil }.map(\.name)
      wrong += all.filter { !run.contains($0) }.map { "\($0) did not run on \(route.rawValue)" }
    }
    for line in wrong { Line.write(line) }
    if !wrong.isEmpty { throw ExitCode(1) }
  }
}

private func read(_ paths: [String]) throws -> [Outcome] {
  try paths.flatMap { path in
    let data =
      try path == "-"
      ? FileHandle.standardInput.readToEnd() ?? Data() : Data(contentsOf: URL(filePath: path))
    return Outcome.all(in: String(decoding: data, as: UTF8.self))
  }
}
