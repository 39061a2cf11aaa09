public import ArgumentParser
public import DeviceSuite
import Foundation

/// Tries PRFDevice's promises on every route to a key.
@main
struct DeviceSuiteTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device-suite",
    abstract: "Try what the device layer promises, on simulated keys however they are reached.",
    subcommands: [
      All.self, Run.self, List.self, Table.self, Check.self, Hardware.self, Other.self,
    ])
}

extension Route: ExpressibleByArgument {}

/// Runs every behaviour on one route.
struct All: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run every behaviour on simulated keys; one JSON line for each.")

  @Option(name: [.long, .customLong("bus")], help: "How the keys are reached.")
  var route = Route.umockdev

  @Option(help: "How many run at once.")
  var jobs = 1

  @Option(help: "Only behaviours whose name begins so; may repeat.")
  var only: [String] = []

  func validate() throws {
    guard Route.simulated.contains(route) else { throw ValidationError("not a simulated route") }
    guard jobs > 0 else { throw ValidationError("at least one at once") }
  }

  func run() async throws {
    let route = self.route
    let behaviours = Behaviour.all.filter { behaviour in
      behaviour.reasonAgainst(route) == nil
        && (only.isEmpty || only.contains { behaviour.name.hasPrefix($0) })
    }
    let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    var failed = 0
    await withTaskGroup(of: Outcome.self) { group in
      var rest = behaviours[...]
      func start() {
        guard let behaviour = rest.popFirst() else { return }
        group.addTask {
          await RouteRun.outcome(of: behaviour, on: route, programs: programs)
        }
      }
      for _ in 0..<jobs { start() }
      while let outcome = await group.next() {
        Line.write(outcome.line)
        if !outcome.passed { failed += 1 }
        start()
      }
    }
    if failed > 0 { throw ExitCode(1) }
  }
}

/// Runs one behaviour on the keys that are in view.
struct Run: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run one behaviour on the keys in view, as its settings describe them.")

  @Argument(help: "The behaviour's name.")
  var name: String

  @Option(help: "How the keys are reached.")
  var route = Route.umockdev

  func run() async throws {
    guard let behaviour = Behaviour.named(name) else {
      throw ValidationError("there is no behaviour \(name)")
    }
    let keys =
      try route == .inProcess
      ? PluggedKeys.inProcess(for: behaviour) : .listed(for: behaviour, on: route)
    let outcome = await behaviour.run(with: keys)
    Line.write(outcome.line)
    if !outcome.passed { throw ExitCode(1) }
  }
}

/// Lists the behaviours.
struct List: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "List the behaviours.")

  func run() {
    for behaviour in Behaviour.all { Line.write("\(behaviour.name)\t\(behaviour.title)") }
  }
}

/// The second process of a behaviour that needs two.
struct Other: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: SecondProcess.argument, shouldDisplay: false)

  @Argument var path: String

  func run() async { Line.write(await SecondProcess.answer(path)) }
}

enum Line {
  static func write(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }
}
