/// The state that the service keeps of a domain.
package struct SequentialDelayState: Equatable, Sendable {
  /// Unix seconds from which the next delay counts.
  package var timer: UInt64
  /// The queries that were accepted.
  package var counter: UInt64
  /// Whether the domain was disabled forever.
  package var isDisabled: Bool

  /// Puts one together; without arguments, that of a domain that was never used.
  package init(timer: UInt64 = 0, counter: UInt64 = 0, isDisabled: Bool = false) {
    self.timer = timer
    self.counter = counter
    self.isDisabled = isDisabled
  }
}

/// The answer to a query.
package enum SequentialDelayVerdict: Equatable, Sendable {
  /// It is answered, and this is remembered.
  case accepted(SequentialDelayState)
  /// It is refused until this time, in Unix seconds.
  case notBefore(UInt64)
  /// It is refused, and so is every later one.
  case never
}

extension SequentialDelayDomain {
  /// Decides about a query as the service does.
  ///
  /// - Parameters:
  ///   - time: when it is made, in Unix seconds.
  ///   - state: what is remembered.
  /// - Returns: the verdict.
  package func verdict(
    at time: UInt64, _ state: SequentialDelayState = SequentialDelayState()
  ) -> SequentialDelayVerdict {
    guard !state.isDisabled, let (stage, start) = stage(of: state.counter) else { return .never }
    let startsBatch = (state.counter - start) % stage.batch == 0
    let notBefore = state.timer.saturatingSum(startsBatch ? stage.delay : 0)
    guard time >= notBefore else { return .notBefore(notBefore) }
    return .accepted(
      SequentialDelayState(
        timer: stage.resets ? time : notBefore, counter: state.counter.saturatingSum(1)))
  }

  /// The stage of a query, and the number of queries before that stage.
  private func stage(of counter: UInt64) -> (Stage, start: UInt64)? {
    var start: UInt64 = 0
    for stage in stages {
      let end = start.saturatingSum(stage.queries)
      if counter < end { return (stage, start) }
      start = end
    }
    return nil
  }
}
