public import CSPP
public import RistrettoVOPRF

/// A guard's account of the kind `pin`, without its OPRF key.
///
/// A caller changes a copy, stores it where the stored counter is still the old one, and answers
/// only then.
public struct PINAccount: Equatable, Sendable {
  /// The last evaluation, kept until the next change so that its repetition costs no try.
  public struct Evaluation: Equatable, Sendable {
    /// The counter that its request named.
    public let counter: UInt64
    /// The blinded element.
    public let element: RistrettoElement
    /// The answer: the evaluated element.
    public let evaluated: RistrettoElement
    /// The answer's proof.
    public let proof: DLEQProof

    /// Takes up a stored one.
    public init(
      counter: UInt64, element: RistrettoElement, evaluated: RistrettoElement, proof: DLEQProof
    ) {
      self.counter = counter
      self.element = element
      self.evaluated = evaluated
      self.proof = proof
    }
  }

  /// Enrolment, end, counter.
  public private(set) var life: AccountLife
  /// The tries.
  public private(set) var limiter: DelayLimiter
  /// The last evaluation.
  public private(set) var last: Evaluation?

  /// Begins an enrolment.
  ///
  /// - Parameters:
  ///   - schedule: the schedule.
  ///   - now: the time in Unix seconds.
  public init(_ schedule: DelaySchedule, createdAt now: UInt64) {
    self.init(life: AccountLife(createdAt: now), limiter: DelayLimiter(schedule))
  }

  /// Takes up a stored state.
  public init(life: AccountLife, limiter: DelayLimiter, last: Evaluation? = nil) {
    self.life = life
    self.limiter = limiter
    self.last = last
  }

  /// Evaluates, or repeats the last evaluation for the same counter and element.
  ///
  /// - Parameters:
  ///   - element: the blinded element.
  ///   - counter: the counter that the request names.
  ///   - now: the time in Unix seconds.
  ///   - evaluate: computes the answer with the account's key; called only if a try is spent.
  /// - Returns: the evaluation, and whether the account changed.
  /// - Throws: ``GuardRefusal``; the account is then unchanged.
  public mutating func evaluate(
    _ element: RistrettoElement, counter: UInt64, at now: UInt64,
    with evaluate: () throws(VOPRFError) -> (evaluated: [RistrettoElement], proof: DLEQProof)
  ) throws(GuardRefusal) -> (evaluation: Evaluation, isNew: Bool) {
    try life.requireLive(at: now)
    if let last, last.counter == counter, last.element == element { return (last, false) }
    try life.require(counter: counter, at: now)
    // One evaluation is enough to enrol.
    guard life.isConfirmed || limiter.tries == 0 else { throw .unconfirmed }
    var changed = self
    try changed.limiter.spend(at: now)
    guard let answer = try? evaluate(), answer.evaluated.count == 1 else { throw .malformed }
    let evaluation = Evaluation(
      counter: counter, element: element, evaluated: answer.evaluated[0], proof: answer.proof)
    changed.life.advance()
    changed.last = evaluation
    self = changed
    return (evaluation, true)
  }

  /// Confirms the enrolment, which leaves the owner all tries.
  ///
  /// - Throws: ``GuardRefusal/disabled``, ``GuardRefusal/counter(_:)``.
  public mutating func confirm(counter: UInt64, at now: UInt64) throws(GuardRefusal) {
    let isFirst = !life.isConfirmed
    try life.confirm(counter: counter, at: now)
    if isFirst { limiter.reset() }
    last = nil
  }

  /// Gives the tries back to someone who opened the backup by this way in.
  ///
  /// - Throws: ``GuardRefusal/disabled``, ``GuardRefusal/counter(_:)``,
  ///   ``GuardRefusal/unconfirmed``.
  public mutating func reset(counter: UInt64, at now: UInt64) throws(GuardRefusal) {
    try life.require(counter: counter, at: now)
    guard life.isConfirmed else { throw .unconfirmed }
    limiter.reset()
    life.advance()
    last = nil
  }

  /// Ends the account; again is the same.
  public mutating func retire() {
    life.retire()
    last = nil
  }

  /// Takes a clock that a person has accepted after a jump.
  public mutating func acceptClock(_ now: UInt64) {
    life.acceptClock(now)
    limiter.acceptClock(now)
  }

  /// Takes the account in on another computer, whose copy may be an old one.
  public mutating func imported(at now: UInt64) {
    life.imported(at: now)
    limiter.imported(at: now)
    last = nil
  }
}
