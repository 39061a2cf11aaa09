import Synchronization

@testable import CommandKit

/// A clock that a test sets: it stands still until the test moves it, or a command pauses.
final class SetClock: Sendable {
  private struct State {
    var date: Int64
    var passed = Duration.zero
    /// The events to come.
    var events: [(at: Duration, run: @Sendable () -> Void)] = []
  }

  private let state: Mutex<State>

  /// A longer pause is that of a reminder to a person.
  private static let longestPause = Duration.seconds(5)

  /// - Parameter date: in seconds since 1970.
  init(date: Int64) { state = Mutex(State(date: date)) }

  /// Seconds since 1970.
  var date: Int64 { state.withLock { $0.date + $0.passed.components.seconds } }

  /// The time that has passed on it.
  var passed: Duration { state.withLock { $0.passed } }

  /// Moves it, and runs the events that are due then.
  func advance(_ time: Duration) {
    let due = state.withLock { state in
      state.passed += time
      let now = state.passed
      defer { state.events.removeAll { $0.at <= now } }
      return state.events.filter { $0.at <= now }.map(\.run)
    }
    for run in due { run() }
  }

  /// Runs something once that much time has passed.
  func at(_ time: Duration, _ run: @escaping @Sendable () -> Void) {
    state.withLock { $0.events.append((time, run)) }
  }

  /// Its time for a command: pauses are over at once and move it.
  ///
  /// A reminder's pause lasts, so that it says nothing while a person does not really wait.
  var time: PassingTime {
    PassingTime(
      now: { self.passed },
      sleep: { pause in
        if pause > Self.longestPause { return try await Task.sleep(for: pause) }
        try Task.checkCancellation()
        self.advance(pause)
        await Task.yield()
      })
  }
}
