/// A wait for a user who touches after a while, or never.
struct TouchWait {
  private let touch: ContinuousClock.Instant?
  private let deadline: ContinuousClock.Instant

  /// Begins the wait.
  ///
  /// - Parameters:
  ///   - person: the user's reaction.
  ///   - limit: the milliseconds until the key gives up.
  init(for person: TouchPolicy, limit: Int) {
    let start = ContinuousClock.now
    deadline = start + .milliseconds(limit)
    if case .after(let milliseconds) = person {
      touch = start + .milliseconds(milliseconds)
    } else {
      touch = nil
    }
  }

  /// The end of the wait; nil while it lasts.
  var outcome: TouchOutcome? {
    if let touch, touch <= .now { return .touched }
    return deadline <= .now ? .timedOut : nil
  }

  /// The latest end of the wait.
  var end: ContinuousClock.Instant { min(deadline, touch ?? deadline) }
}

extension TouchOutcome {
  /// The immediate reaction of a user; nil for one that must be waited for.
  init?(atOnce person: TouchPolicy) {
    switch person {
    case .automatic: self = .touched
    case .deny: self = .denied
    case .never, .after: return nil
    }
  }
}
