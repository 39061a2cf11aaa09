import DeviceSuite
import Foundation
import Testing

/// Runs the device suite on the two routes that need another kernel, and compares it with
/// docs/authenticators.md.
@Suite struct KernelRouteTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let behaviour: Behaviour
    let route: Route
    var testDescription: String { "\(behaviour.name), \(route.title)" }
  }

  static let cases = [Route.uhid, .gadget].flatMap { route in
    Behaviour.all.filter { $0.reasonAgainst(route) == nil }.map {
      Case(behaviour: $0, route: route)
    }
  }

  @Test(arguments: cases)
  func `A behaviour is as the document says`(run: Case) async throws {
    let step = try await Scenario.deviceSuite(run.route.rawValue).step("outcomes")
    let outcome = try #require(
      Outcome.all(in: step.out).first { $0.behaviour == run.behaviour.name }, "\(step.err)")
    let document = try String(
      contentsOf: Repository.root.appending(path: "docs/authenticators.md"), encoding: .utf8)
    let table = try RouteTable(in: document)
    #expect(table.contradiction(to: outcome) == nil)
    #expect(outcome.passed || table[run.behaviour, run.route] == .failed, "\(outcome.detail)")
  }
}
