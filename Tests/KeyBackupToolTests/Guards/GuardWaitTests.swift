import GuardProtocol
import Testing

@testable import CommandKit
@testable import Unlocking

/// When a person is told whom a run waits for.
@Suite struct GuardWaitTests {
  @Test func `A silence is told once, and then ends`() {
    var wait = GuardWait(from: 1000, until: 19_000)
    #expect(wait.next == 1000 + GuardWait.patience)
    #expect(wait.secondsLeft() == 15 && wait.next == 19_000)
    #expect(wait.secondsLeft() == nil)
    // Nothing is told of a wait that is over sooner.
    var short = GuardWait(from: 1000, until: 1500)
    #expect(short.next == 1500 && short.secondsLeft() == nil)
  }

  @Test func `A calling program hears of the hosts`() {
    let event = Event.guards(call: "/v1/status", count: 1, waiting: ["guard.example"])
    #expect(event.json.text.contains(#""waiting":["guard.example"]"#), "\(event.json.text)")
  }

  @Test func `Something else at a guard's address is no guard that lies or is down`() {
    #expect(GuardFault.gone(status: 404).remedy == .newAddress)
    #expect(GuardFault.missing(GuardRefusal.stopped.text).remedy == .newAddress)
    #expect(GuardFault.missing("it gave no answer").remedy == .patience)
    for fault in [GuardFault.refused(.unknown), .refused(.disabled), .wrong("")] {
      #expect(fault.remedy == .renewal)
    }
  }
}
