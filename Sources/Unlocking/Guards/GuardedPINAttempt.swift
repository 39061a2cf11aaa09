internal import CSPP
internal import CommandKit
internal import GuardProtocol
internal import RistrettoVOPRF
internal import SecretMemory

/// One PIN that is tried with the guards of one way in.
///
/// All guards were asked for their state. Then as many as are needed evaluate, those with the most
/// tries. If all were asked each time, the owner would have fewer tries than an attacker. Answers
/// are kept, and only a guard that is missing or lies is replaced.
struct GuardedPINAttempt {
  /// The states of the guards, as they are after this attempt.
  private(set) var survey: GuardSurvey
  /// Guards that gave a wrong answer, although others opened the backup.
  private(set) var liars: [(server: AskedGuard, fault: GuardFault)] = []

  private let header: KeyHeader.GuardedPIN
  private let caller: GuardCaller
  private let world: World
  /// The places of guards that may still be asked.
  private var waiting: [Int] = []
  /// The guards that do not help, and why.
  private var faults: [Int: GuardFault] = [:]
  /// Whether a try could not be remembered here.
  private(set) var isForgetful = false

  /// Takes the states of the guards.
  ///
  /// - Parameters:
  ///   - survey: the states.
  ///   - header: the parameters of the way in.
  ///   - caller: asks.
  ///   - world: has the memory.
  init(
    _ survey: GuardSurvey, _ header: KeyHeader.GuardedPIN, _ caller: GuardCaller, _ world: World
  ) {
    self.survey = survey
    self.header = header
    self.caller = caller
    self.world = world
    for (place, seat) in survey.seats.enumerated() {
      if let fault = seat.fault {
        faults[place] = fault
      } else if (try? RistrettoElement(header.guards[place].oprfKey)) == nil {
        faults[place] = .wrong("its key in the folder is none")
      } else {
        waiting.append(place)
      }
    }
    func rank(_ place: Int) -> (Int, UInt64, Int) {
      let tries = survey.seats[place].tries
      return (-(tries?.left ?? 0), tries?.notBefore ?? 0, place)
    }
    waiting.sort { rank($0) < rank($1) }
  }

  /// Throws where fewer guards than are needed may accept a try, before a PIN is asked for.
  ///
  /// - Throws: `guards-unreachable`, `guard-wrong`, `guard-tries-used`.
  func requireEnough() throws(UserMessage) {
    if waiting.count < survey.way.threshold.needed { throw failure }
  }

  /// The guards that will be asked, if all answer.
  var chosen: [AskedGuard] {
    waiting.prefix(survey.way.threshold.needed).map { survey.seats[$0].seat.server }
  }

  private var failure: UserMessage {
    .tooFewGuards(
      faults.sorted { $0.key < $1.key }.map { (survey.seats[$0.key].seat.server, $0.value) },
      survey.way, next: survey.nextTime, at: world.now())
  }

  /// Has the guards evaluate, and derives the secret of the key slot; whether it is the right one
  /// is for the caller to see.
  ///
  /// - Parameter pin: UTF-8.
  /// - Returns: the secret, 32 bytes.
  /// - Throws: `guards-unreachable`, `guard-wrong`, `guard-tries-used`, `too-early`; `io`,
  ///   `interrupted`.
  mutating func secret(_ pin: borrowing SecretBytes) throws(UserMessage) -> SecretBytes {
    let x = try unfailing { () throws(GuardProtocolError) in try header.stretching.derive(pin) }
    let shared = try collect(x)
    let keyID = survey.way.keyID
    return try unfailing { () throws(GuardProtocolError) in
      try GuardedSecret.pin(shared: shared, stretched: x, keyID: keyID)
    }
  }

  private mutating func collect(_ x: borrowing SecretBytes) throws(UserMessage) -> SecretBytes {
    let needed = survey.way.threshold.needed
    var shares = CollectedShares(threshold: survey.way.threshold)
    while !shares.isComplete {
      let missing = needed - shares.points.count
      guard waiting.count >= missing else { throw failure }
      var batch = Array(waiting.prefix(missing))
      // A guard that may refuse because it is too early comes first: no other spends a try then.
      // Its own clock decides, because this computer's may be wrong.
      let early = batch.filter { isEarly($0) }
      if !early.isEmpty { batch = early }
      waiting.removeAll { batch.contains($0) }
      try evaluate(batch, x, &shares)
    }
    liars = faults.filter(\.value.isWrong).sorted { $0.key < $1.key }
      .map { (survey.seats[$0.key].seat.server, $0.value) }
    do throws(GuardProtocolError) {
      return try shares.combine()
    } catch {
      throw UserMessage(error)
    }
  }

  private func isEarly(_ place: Int) -> Bool {
    (survey.seats[place].tries?.notBefore ?? 0) > UInt64(max(0, world.now()))
  }

  private mutating func evaluate(
    _ places: [Int], _ x: borrowing SecretBytes, _ shares: inout CollectedShares
  ) throws(UserMessage) {
    let overtaken = try ask(places, x, &shares, isRepeated: false)
    if !overtaken.isEmpty { _ = try ask(overtaken, x, &shares, isRepeated: true) }
  }

  /// Has guards evaluate.
  ///
  /// - Parameters:
  ///   - places: the guards.
  ///   - x: the input.
  ///   - shares: receives the shares.
  ///   - isRepeated: whether these guards were asked before.
  /// - Returns: guards at which another restore's try came first, each with the counter to use now;
  ///   they may be asked once more.
  /// - Throws: `io`, `interrupted`.
  private mutating func ask(
    _ places: [Int], _ x: borrowing SecretBytes, _ shares: inout CollectedShares,
    isRepeated: Bool
  ) throws(UserMessage) -> [Int] {
    var overtaken: [Int] = []
    var calls: [GuardCaller.Call] = []
    var inputs: [BlindedPIN] = []
    for place in places {
      let seat = survey.seats[place]
      let counter = seat.confirmed?.counter ?? 0
      let input = try blind(x)
      calls.append(
        GuardCaller.Call(
          .evaluate,
          EvaluateRequest(account: seat.account, counter: counter, element: input.input.element),
          to: seat.seat.server, by: try seat.seat.askKey()))
      inputs.append(input)
      // Before the request: a try whose answer is lost is this computer's own.
      remember(
        place, counter: counter, spent: seat.finding?.ownTries ?? 0, asked: counter)
    }
    let answers = try caller.answers(to: calls, as: EvaluateAnswer.self, repeats: 2)
    for ((place, input), answer) in zip(zip(places, inputs), answers) {
      let share: SecretBytes
      do throws(GuardFault) {
        share = try self.share(place, input, answer.get())
      } catch {
        if !isRepeated, case .refused(.counter(let counter)) = error,
          survey.seats[place].follow(counter)
        {
          overtaken.append(place)
        } else {
          note(error, place)
        }
        continue
      }
      do throws(GuardProtocolError) {
        try shares.add(share, at: survey.seats[place].seat.point)
      } catch {
        throw UserMessage(error)
      }
    }
    return overtaken
  }

  /// Blinds the input with a random blind, which is never stored.
  private func blind(_ x: borrowing SecretBytes) throws(UserMessage) -> BlindedPIN {
    do throws(VOPRFError) {
      return BlindedPIN(try BlindedInput(x.copy(), mode: .verifiable))
    } catch {
      throw UserMessage(.internalError, "the PIN cannot be blinded")
    }
  }

  /// The guard's share, after its proof was checked with the key in the header.
  private mutating func share(
    _ place: Int, _ blinded: BlindedPIN, _ answer: EvaluateAnswer
  ) throws(GuardFault) -> SecretBytes {
    let seat = survey.seats[place]
    let asked = seat.confirmed?.counter ?? 0
    let guardPart = header.guards[place]
    guard answer.counter == asked + 1 else { throw .wrong("its counter does not follow") }
    let output: SecretBytes
    do throws(VOPRFError) {
      output = try blinded.output(of: answer, by: guardPart.oprfKey)
    } catch {
      throw .wrong("its proof does not hold for its key in the folder")
    }
    let spent = (seat.finding?.ownTries ?? 0) + 1
    remember(place, counter: answer.counter, spent: spent, asked: nil)
    survey.seats[place].tried(answer, own: spent)
    do throws(GuardProtocolError) {
      return try ShareMask.pin(
        unsafe SecretBytes(copying: guardPart.maskedShare.span.bytes), output: output,
        keyID: survey.way.keyID, point: seat.seat.point)
    } catch {
      throw .wrong("its share in the folder is none")
    }
  }

  private mutating func note(_ fault: GuardFault, _ place: Int) {
    faults[place] = fault
    if case .refused(.tooEarly(let time)) = fault { survey.seats[place].wait(until: time) }
    if fault.isLost {
      survey.seats[place].unanswered = 1
    } else {
      // A refused try was not spent.
      let seat = survey.seats[place]
      remember(
        place, counter: seat.confirmed?.counter ?? 0, spent: seat.finding?.ownTries ?? 0,
        asked: nil)
    }
  }

  private mutating func remember(_ place: Int, counter: UInt64, spent: Int, asked: UInt64?) {
    let seat = survey.seats[place]
    let isKept = GuardMemory.update(seat.account, world) { known in
      GuardMemory(counter: max(counter, known?.counter ?? 0), spent: spent, asked: asked)
    }
    if !isKept { isForgetful = true }
  }

  // MARK: After the backup has opened

  /// Gives all tries back, at all guards.
  ///
  /// - Parameter secret: the secret of the key slot, which opened the backup.
  /// - Returns: the guards that did not do it, and why; that is no failure.
  mutating func reset(
    _ secret: borrowing SecretBytes
  ) -> [(server: AskedGuard, fault: GuardFault)] {
    do throws(UserMessage) {
      return try GuardReset.run(&survey, secret, caller, world)
    } catch {
      return [(survey.way.servers[0], .missing(error.message))]
    }
  }
}

/// A stretched PIN that was blinded for one guard.
final class BlindedPIN: Sendable {
  let input: BlindedInput

  /// Takes a blinded input.
  init(_ input: consuming BlindedInput) { self.input = input }

  /// The output of the function, after the guard's proof was checked.
  ///
  /// - Parameters:
  ///   - answer: the guard's answer.
  ///   - key: the guard's public key for the account.
  /// - Returns: the output.
  /// - Throws: `VOPRFError` for a key that is none, and a proof that does not hold for it.
  func output(of answer: EvaluateAnswer, by key: [UInt8]) throws(VOPRFError) -> SecretBytes {
    let verified = try answer.proof.verify(
      blinded: [input.element], evaluated: [answer.element], publicKey: RistrettoElement(key))
    return try input.finalize(verified[0])
  }
}

extension GuardSurvey.Seat {
  /// Takes the state in the answer to a try.
  fileprivate mutating func tried(_ answer: EvaluateAnswer, own: Int) {
    state = .success(
      AccountAnswer(
        counter: answer.counter, phase: .confirmed,
        detail: .tries(left: answer.triesLeft, notBefore: answer.notBefore)))
    finding?.ownTries = own
  }

  /// Takes the time of the next try.
  fileprivate mutating func wait(until time: UInt64) {
    guard let answer = confirmed, case .tries(let left, _) = answer.detail else { return }
    state = .success(
      AccountAnswer(
        counter: answer.counter, phase: .confirmed, detail: .tries(left: left, notBefore: time)))
  }
}
