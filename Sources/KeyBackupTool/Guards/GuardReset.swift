internal import CSPP
internal import GuardProtocol
internal import SecretMemory

/// Gives the tries back at all guards of a PIN way, after it has opened the backup.
enum GuardReset {
  /// Asks every guard that was reached.
  ///
  /// - Parameters:
  ///   - survey: the states of the guards; receives the new ones.
  ///   - secret: the secret of the key slot.
  ///   - caller: asks.
  ///   - world: has the memory.
  /// - Returns: the guards at which the tries were not set back, and why.
  /// - Throws: `interrupted`, `io`.
  static func run(
    _ survey: inout GuardSurvey, _ secret: borrowing SecretBytes, _ caller: GuardCaller,
    _ world: World
  ) throws(UserMessage) -> [(server: AskedGuard, why: String)] {
    var failed: [(server: AskedGuard, why: String)] = []
    var places: [Int] = []
    var calls: [GuardCaller.Call] = []
    for (place, seat) in survey.seats.enumerated() {
      guard let counter = seat.confirmed?.counter else {
        failed.append((seat.seat.server, seat.fault?.text ?? "it does not help"))
        continue
      }
      places.append(place)
      // An answer that is lost is not another person's request later.
      var memory =
        GuardMemory.of(seat.account, world)
        ?? GuardMemory(counter: counter, spent: seat.finding?.ownTries ?? 0)
      memory.back = counter
      memory.keep(seat.account, world)
      calls.append(
        GuardCaller.Call(
          .reset, CounterRequest(account: seat.account, counter: counter), to: seat.seat.server,
          by: try seat.seat.resetKey(secret)))
    }
    let answers = try caller.answers(to: calls, as: AccountAnswer.self)
    for (place, answer) in zip(places, answers) {
      let seat = survey.seats[place]
      switch answer {
      case .success(let state):
        survey.seats[place].state = answer
        survey.seats[place].finding = GuardMemory.Finding(
          unknownTries: 0, isSetBack: false, ownTries: 0)
        GuardMemory(counter: state.counter, spent: 0).keep(seat.account, world)
      case .failure(let fault):
        failed.append((seat.seat.server, fault.text))
      }
    }
    return failed
  }
}
