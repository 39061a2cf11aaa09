/// A wait for a user who touches after a while, or never.
struct TouchWait {
  private let touch: MomentWait?
  private let deadline: ContinuousClock.Instant

  /// Begins the wait.
  ///
  /// - Parameters:
  ///   - person: the user's reaction.
  ///   - limit: the milliseconds until the key gives up.
  init(for person: TouchPolicy, limit: Int) {
    deadline = .now + .milliseconds(limit)
    touch = if case .at(let moment) = person { MomentWait(for: moment) } else { nil }
  }

  /// The end of the wait; nil while it lasts.
  var outcome: TouchOutcome? {
    if let touch, touch.hasCome { return .touched }
    return deadline <= .now ? .timedOut : nil
  }

  /// The time of the next look for the end.
  var nextLook: ContinuousClock.Instant { min(deadline, touch?.nextLook ?? deadline) }
}

extension TouchOutcome {
  /// The immediate reaction of a user; nil for one that must be waited for.
  init?(atOnce person: TouchPolicy) {
    switch person {
    case .automatic: self = .touched
    case .deny: self = .denied
    case .never, .at: return nil
    }
  }
}
