/// A time limit for asynchronous work.
enum WorkLimit {
  /// Runs work, and cancels it when its time is over.
  ///
  /// - Parameters:
  ///   - deadline: the end of its time.
  ///   - work: the work, which must end soon after it is cancelled.
  /// - Returns: its result.
  /// - Throws: its failure, or ``AskFailure/Reason/timeout``.
  static func run<Value: Sendable>(
    until deadline: ContinuousClock.Instant,
    _ work: @escaping @Sendable () async -> Result<Value, AskFailure>
  ) async throws(AskFailure) -> Value {
    let result = await withTaskGroup(of: Result<Value, AskFailure>.self) { group in
      group.addTask(operation: work)
      group.addTask {
        // Ends early when the work is done or all is cancelled.
        try? await Task.sleep(until: deadline, clock: .continuous)
        return .failure(
          Task.isCancelled
            ? AskFailure(.cancelled, "cancelled") : AskFailure(.timeout, "the time is over"))
      }
      let first = await group.next()
      group.cancelAll()
      return first ?? .failure(AskFailure(.timeout, "the time is over"))
    }
    return try result.get()
  }
}
