internal import CSPP
package import CommandKit
internal import GuardProtocol
package import SecretMemory

/// Gives the tries back at all guards of a PIN way, after it has opened the backup.
package enum GuardReset {
  /// The most requests to one guard.
  ///
  /// A lost try of this run and a lost reset each raise the counter once.
  private static let rounds = 4

  /// Asks every guard that was reached.
  ///
  /// A guard that names a later counter is asked again with that one: it counted a request of this
  /// run whose answer was lost, or somebody else's.
  ///
  /// - Parameters:
  ///   - survey: the states of the guards; receives the new ones.
  ///   - secret: the secret of the key slot.
  ///   - caller: asks.
  ///   - world: has the memory.
  /// - Returns: the guards at which the tries were not set back, and why.
  /// - Throws: `interrupted`, `io`.
  package static func run(
    _ survey: inout GuardSurvey, _ secret: borrowing SecretBytes, _ caller: GuardCaller,
    _ world: World
  ) throws(UserMessage) -> [(server: AskedGuard, fault: GuardFault)] {
    var failed: [Int: GuardFault] = [:]
    var waiting: [Int] = []
    for (place, seat) in survey.seats.enumerated() {
      if seat.confirmed == nil {
        failed[place] = seat.fault ?? .missing("it does not help")
      } else {
        waiting.append(place)
      }
    }
    for _ in 0..<rounds where !waiting.isEmpty {
      var calls: [GuardCaller.Call] = []
      for place in waiting { calls.append(try call(to: survey.seats[place], secret, world)) }
      let answers = try caller.answers(to: calls, as: AccountAnswer.self)
      var again: [Int] = []
      for (place, answer) in zip(waiting, answers) {
        do throws(GuardFault) {
          try survey.seats[place].take(answer.get(), survey.schedule)
          failed[place] = nil
          GuardMemory(counter: survey.seats[place].confirmed?.counter ?? 0, spent: 0)
            .keep(survey.seats[place].account, world)
        } catch {
          failed[place] = error
          if survey.seats[place].mayRepeat(after: error, world) { again.append(place) }
        }
      }
      waiting = again
    }
    let unclear = failed.filter { $0.value.isUnclear }.keys
      .filter { survey.seats[$0].confirmed != nil }.sorted()
    if !unclear.isEmpty {
      for place in try look(unclear, &survey, caller, world) { failed[place] = nil }
    }
    return failed.sorted { $0.key < $1.key }.map { (survey.seats[$0.key].seat.server, $0.value) }
  }

  /// The guards whose status says that all tries are back, although each answer was lost.
  private static func look(
    _ places: [Int], _ survey: inout GuardSurvey, _ caller: GuardCaller, _ world: World
  ) throws(UserMessage) -> [Int] {
    var calls: [GuardCaller.Call] = []
    for place in places {
      let seat = survey.seats[place]
      calls.append(
        GuardCaller.Call(
          .status, AccountRequest(account: seat.account), to: seat.seat.server,
          by: try seat.seat.askKey()))
    }
    var reset: [Int] = []
    for (place, answer) in zip(places, try caller.answers(to: calls, as: AccountAnswer.self)) {
      guard case .success(let state) = answer, state.phase == .confirmed,
        case .tries(let left, _) = state.detail, left == survey.schedule?.tries
      else { continue }
      survey.seats[place].state = answer
      GuardMemory(counter: state.counter, spent: 0).keep(survey.seats[place].account, world)
      reset.append(place)
    }
    return reset
  }

  private static func call(
    to seat: GuardSurvey.Seat, _ secret: borrowing SecretBytes, _ world: World
  ) throws(UserMessage) -> GuardCaller.Call {
    let counter = seat.confirmed?.counter ?? 0
    // An answer that is lost is not another person's request later.
    GuardMemory.update(seat.account, world) { known in
      var memory = known ?? seat.newMemory
      memory.back = counter
      return memory
    }
    return GuardCaller.Call(
      .reset, CounterRequest(account: seat.account, counter: counter), to: seat.seat.server,
      by: try seat.seat.resetKey(secret))
  }

  /// The lines about guards that did not give the tries back, with what helps.
  package static func lines(_ failed: [(server: AskedGuard, fault: GuardFault)]) -> [String] {
    let hints: [(remedy: GuardFault.Remedy, text: String)] = [
      (.patience, "to get them back later: keybackup guard reset"),
      (
        .newAddress,
        "ask the operator for the new address, then: keybackup guard reset --guard-server ID=URL"
      ),
      (
        .renewal,
        "such a guard does not give them back; for a new way in with other guards: "
          + "keybackup guard renew"
      ),
    ]
    return failed.map { server, fault in
      "keybackup: the tries at \(server.title) are not back: \(fault.text)"
    }
      + hints.filter { hint in failed.contains { $0.fault.remedy == hint.remedy } }
      .map { "hint: \($0.text)" }
  }
}

extension GuardSurvey.Seat {
  /// The first memory of the account on this computer.
  fileprivate var newMemory: GuardMemory {
    GuardMemory(counter: confirmed?.counter ?? 0, spent: finding?.ownTries ?? 0)
  }

  /// Takes the answer to a reset.
  ///
  /// - Throws: `wrong` for one that does not give all tries back.
  fileprivate mutating func take(
    _ answer: AccountAnswer, _ schedule: DelaySchedule?
  ) throws(GuardFault) {
    guard answer.phase == .confirmed, answer.counter == (confirmed?.counter ?? 0) &+ 1 else {
      throw .wrong("its counter does not follow")
    }
    guard case .tries(let left, _) = answer.detail, left == schedule?.tries else {
      throw .wrong("it does not give all tries back")
    }
    state = .success(answer)
    finding = GuardMemory.Finding(
      unknownTries: 0, isSetBack: false, ownTries: 0, others: finding?.others ?? 0)
    unanswered = 0
  }

  /// Whether another request may do what the last one did not.
  fileprivate mutating func mayRepeat(after fault: GuardFault, _ world: World) -> Bool {
    if case .missing = fault {
      unanswered += 1
      return unanswered < 2
    }
    guard case .refused(.counter(let counter)) = fault, follow(counter) else { return false }
    let first = newMemory
    GuardMemory.update(account, world) { known in
      var memory = known ?? first
      if memory.asked != nil { memory.spent += 1 }
      (memory.asked, memory.counter) = (nil, max(memory.counter, counter))
      return memory
    }
    return true
  }
}
