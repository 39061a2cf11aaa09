/// Time as it passes: for limits and pauses, where ``World/now`` is for dates.
package struct PassingTime: Sendable {
  /// Returns the time since some moment; it never goes back.
  package var now: @Sendable () -> Duration
  /// Waits; throws when the task is cancelled.
  package var sleep: @Sendable (Duration) async throws -> Void

  /// The computer's own.
  package static func system() -> PassingTime {
    let start = ContinuousClock.now
    return PassingTime(now: { .now - start }, sleep: { try await Task.sleep(for: $0) })
  }
}
