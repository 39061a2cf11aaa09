import DeviceSuite
import Foundation
import Testing

/// Runs every behaviour on every route that needs no other kernel, and compares the runs with
/// docs/authenticators.md.
@Suite struct RouteTests {
  /// The routes of this suite; Tests/VM runs the others.
  static let routes: [Route] = [.inProcess, .umockdev, .pcsc]

  struct Case: Sendable, CustomTestStringConvertible {
    let behaviour: Behaviour
    let route: Route
    var testDescription: String { "\(behaviour.name), \(route.title)" }
  }

  static let cases = routes.flatMap { route in
    Behaviour.all.filter { $0.reasonAgainst(route) == nil }.map {
      Case(behaviour: $0, route: route)
    }
  }

  private static let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()

  private static func document() throws -> String {
    let repository = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(
      contentsOf: repository.appending(path: "docs/authenticators.md"), encoding: .utf8)
  }

  @Test(arguments: cases)
  func `A behaviour is as the document says`(run: Case) async throws {
    await Turnstile.shared.enter()
    let outcome = await RouteRun.outcome(
      of: run.behaviour, on: run.route, programs: Self.programs)
    await Turnstile.shared.leave()
    let table = try RouteTable(in: Self.document())
    let contradiction = table.contradiction(to: outcome)
    #expect(contradiction == nil)
    // Known failures are in the table, for everyone to see. The table is asked outside `#expect`,
    // which keeps a picture of all of it for every failure: 22 GB where no reader works.
    let isKnown = table[run.behaviour, run.route] == .failed
    #expect(outcome.passed || isKnown, "\(outcome.detail)")
  }

  @Test func `The document has every row, every reason, and nothing unwritten`() throws {
    let document = try Self.document()
    #expect(try RouteTable(in: document).written(into: document) == document)
  }

  @Test func `Behaviours have names and titles of their own`() {
    #expect(Set(Behaviour.all.map(\.name)).count == Behaviour.all.count)
    #expect(Set(Behaviour.all.map(\.title)).count == Behaviour.all.count)
    #expect(!Behaviour.all.contains { $0.title.contains("|") })
  }
}

/// Lets only a few behaviours run at once: each has its own bus, and for PC/SC its own service.
private actor Turnstile {
  static let shared = Turnstile()

  private var places = 6
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func enter() async {
    guard places == 0 else {
      places -= 1
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func leave() {
    if waiting.isEmpty { places += 1 } else { waiting.removeFirst().resume() }
  }
}

/// The table itself.
@Suite struct RouteTableTests {
  private let info = Outcome(
    behaviour: "info", route: .umockdev, passed: true, detail: "", seconds: 0.1)
  private let document =
    "before\n<!-- written by device-suite: begin -->\n<!-- written by device-suite: end -->\nafter"

  @Test func `What was entered is read back, and all else is not run or not applicable`() throws {
    var table = RouteTable()
    table.enter(info)
    let read = try RouteTable(in: try table.written(into: document))
    for behaviour in Behaviour.all {
      for route in Route.simulated {
        let isEntered = behaviour.name == "info" && route == .umockdev
        let expected: RouteTable.Cell =
          behaviour.reasonAgainst(route) != nil ? .notApplicable : isEntered ? .passed : .notRun
        #expect(read[behaviour, route] == expected)
      }
    }
  }

  @Test func `A table that says something else than a run is contradicted`() throws {
    var table = RouteTable()
    #expect(table.contradiction(to: info) != nil)
    table.enter(info)
    #expect(table.contradiction(to: info) == nil)
    let failed = Outcome(
      behaviour: "info", route: .umockdev, passed: false, detail: "why", seconds: 0.1)
    #expect(table.contradiction(to: failed)?.contains("why") == true)
    table.enter(failed)
    #expect(try table.written(into: document).contains("NOT PASSED"))
    #expect(table.contradiction(to: info) != nil)
  }

  @Test func `An outcome is one line of JSON`() {
    #expect(!info.line.contains("\n"))
    #expect(Outcome.all(in: "noise\n\(info.line)\nmore {}\n") == [info])
  }
}
