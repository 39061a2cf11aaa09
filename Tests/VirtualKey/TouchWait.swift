/// A wait for a person who touches in a while, or never.
struct TouchWait {
  private let touch: ContinuousClock.Instant?
  private let deadline: ContinuousClock.Instant

  /// Begins now.
  ///
  /// - Parameters:
  ///   - person: what the person does.
  ///   - limit: milliseconds until the key gives up.
  init(for person: TouchPolicy, limit: Int) {
    let start = ContinuousClock.now
    deadline = start + .milliseconds(limit)
    if case .after(let milliseconds) = person {
      touch = start + .milliseconds(milliseconds)
    } else {
      touch = nil
    }
  }

  /// How it has ended; nil while it lasts.
  var outcome: TouchOutcome? {
    if let touch, touch <= .now { return .touched }
    return deadline <= .now ? .timedOut : nil
  }

  /// When it ends at the latest.
  var end: ContinuousClock.Instant { min(deadline, touch ?? deadline) }
}

extension TouchOutcome {
  /// What a person does at once; nil for one who is waited for.
  init?(atOnce person: TouchPolicy) {
    switch person {
    case .automatic: self = .touched
    case .deny: self = .denied
    case .never, .after: return nil
    }
  }
}
