package import CSPP
package import CommandKit
package import GuardProtocol

/// The states of all guards of a way in, which cost no try.
package struct GuardSurvey {
  /// The state of one guard.
  package struct Seat {
    /// The guard.
    package let seat: GuardSeat
    /// The account.
    package let account: GuardAccountID
    /// Its answer.
    package var state: Result<AccountAnswer, GuardFault>
    /// The difference between its answer and this computer's memory; nil without tries.
    package var finding: GuardMemory.Finding?
    /// The requests of this run that the guard may have counted without an answer that can be used.
    var unanswered: UInt64 = 0

    package init(
      seat: GuardSeat, account: GuardAccountID, state: Result<AccountAnswer, GuardFault>,
      finding: GuardMemory.Finding? = nil, unanswered: UInt64 = 0
    ) {
      self.seat = seat
      self.account = account
      self.state = state
      self.finding = finding
      self.unanswered = unanswered
    }

    /// The answer of an account in use.
    package var confirmed: AccountAnswer? {
      guard case .success(let answer) = state, answer.phase == .confirmed else { return nil }
      return answer
    }

    /// The tries that are left, and the earliest time of the next; nil where none can be spent.
    package var tries: (left: Int, notBefore: UInt64)? {
      guard let answer = confirmed, case .tries(let left, let time) = answer.detail, left > 0
      else { return nil }
      return (left, time ?? 0)
    }

    /// Why the guard does not help; nil: it does.
    package var fault: GuardFault? {
      switch state {
      case .failure(let fault): return fault
      case .success(let answer):
        switch answer.phase {
        case .confirmed: break
        case .unconfirmed: return .refused(.unconfirmed)
        case .retired: return .refused(.disabled)
        }
        guard case .tries(let left, _) = answer.detail, left == 0 else { return nil }
        return .refused(.usedUp)
      }
    }

    /// Takes the counter that a guard names after another request than the one it knows of.
    ///
    /// Requests of this run that got no answer are nobody else's.
    ///
    /// - Returns: whether it is a later one.
    mutating func follow(_ counter: UInt64) -> Bool {
      guard let answer = confirmed, counter > answer.counter else { return false }
      state = .success(
        AccountAnswer(counter: counter, phase: .confirmed, detail: answer.detail))
      let foreign = counter - answer.counter
      // A guard that lies names any number.
      finding?.others &+= foreign - min(foreign, unanswered)
      unanswered = 0
      return true
    }
  }

  /// The way in.
  package let way: GuardWay
  /// All its guards.
  package var seats: [Seat]
  /// The tries of a PIN way; nil for a login.
  package let schedule: DelaySchedule?
  /// The releases that this computer began.
  package let own: OwnReleases

  /// Asks all guards of a way in.
  ///
  /// - Parameters:
  ///   - way: the way in.
  ///   - schedule: of a PIN way, so that tries are compared with what is remembered.
  ///   - caller: asks.
  ///   - world: has the memory.
  /// - Throws: as ``GuardCaller/answers(to:as:repeats:)``.
  package init(
    _ way: GuardWay, _ schedule: DelaySchedule?, _ caller: GuardCaller, _ world: World
  ) throws(UserMessage) {
    self.way = way
    self.schedule = schedule
    own = OwnReleases.of(way.keyID, world)
    var calls: [GuardCaller.Call] = []
    var accounts: [GuardAccountID] = []
    for seat in way.seats {
      let key = try seat.askKey()
      let account = GuardAccountID(of: key.publicKey)
      accounts.append(account)
      calls.append(
        GuardCaller.Call(.status, AccountRequest(account: account), to: seat.server, by: key))
    }
    let answers = try caller.answers(to: calls, as: AccountAnswer.self, repeats: 1)
    seats = way.seats.indices.map { place in
      Seat(seat: way.seats[place], account: accounts[place], state: answers[place])
    }
    for place in seats.indices {
      guard let schedule, let answer = seats[place].confirmed else { continue }
      guard case .tries(let left, _) = answer.detail, left <= schedule.tries else {
        seats[place].state = .failure(.wrong("it names tries that the schedule does not have"))
        continue
      }
      seats[place].finding = GuardMemory.compare(
        counter: answer.counter, left: left, of: schedule.tries,
        with: GuardMemory.of(accounts[place], world))
    }
  }

  /// The guards that were set back to an earlier state.
  var setBack: [AskedGuard] {
    seats.filter { $0.finding?.isSetBack == true }.map(\.seat.server)
  }

  /// The guards that were moved and give few tries since.
  package var moved: [AskedGuard] {
    seats.filter { $0.finding?.isMoved == true }.map(\.seat.server)
  }

  /// The most tries at one guard that this computer does not know of.
  var unknownTries: Int {
    seats.filter { $0.confirmed != nil }.compactMap(\.finding?.unknownTries).max() ?? 0
  }

  /// Whether somebody else changed an account since this computer last asked, or in between.
  var hasOthers: Bool { seats.contains { ($0.finding?.others ?? 0) > 0 } }

  /// The PINs that can still be tried, each at as many guards as are needed.
  package var triesLeft: Int {
    Self.tries(seats.compactMap(\.tries?.left), needed: way.threshold.needed)
  }

  /// The largest number of times that `needed` different guards can be asked.
  package static func tries(_ left: [Int], needed: Int) -> Int {
    var tries = 0
    while left.reduce(0, { $0 + min($1, tries + 1) }) >= (tries + 1) * needed { tries += 1 }
    return tries
  }

  /// The earliest time at which as many guards as are needed accept a try, in Unix seconds; nil:
  /// never.
  var nextTime: UInt64? {
    let times = seats.compactMap(\.tries?.notBefore).sorted()
    return times.count < way.threshold.needed ? nil : times[way.threshold.needed - 1]
  }
}
