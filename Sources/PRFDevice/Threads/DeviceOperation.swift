internal import Synchronization

/// One call of a caller, from its start to its result.
///
/// The result comes from the device's thread. If that thread is stuck in a key that does not
/// answer, the result comes from the party that gives up.
final class DeviceOperation: Sendable {
  private struct State {
    var isStarted = false
    var isCancelled = false
    var wasGivenUp = false
    var runner: Task<Void, Never>?
    /// Gives the caller an error as its result.
    var giveUp: (@Sendable (PRFDeviceError) -> Void)?
  }

  private let state = Mutex(State())

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Whether the caller has its result while the device's thread may still be stuck.
  var wasGivenUp: Bool { state.withLock { $0.wasGivenUp } }

  /// The task that runs the operation on the device's thread.
  var runner: Task<Void, Never>? {
    get { state.withLock { $0.runner } }
    set { state.withLock { $0.runner = newValue } }
  }

  /// Records that the caller waits from now on.
  func wait(giveUp: @escaping @Sendable (PRFDeviceError) -> Void) {
    let isCancelled = state.withLock { state in
      state.giveUp = giveUp
      return state.isCancelled
    }
    if isCancelled { giveUp(.cancelled) }
  }

  /// Starts on the device's thread; `false` when the caller no longer wants the result.
  func start() -> Bool {
    state.withLock { state in
      state.isStarted = !state.isCancelled
      return state.isStarted
    }
  }

  /// Cancels the operation.
  ///
  /// If it has not begun it ends here; otherwise ``OperationWatch`` ends it.
  func cancel() {
    let giveUp = state.withLock { state -> (@Sendable (PRFDeviceError) -> Void)? in
      state.isCancelled = true
      if state.isStarted { return nil }
      state.wasGivenUp = true
      return state.giveUp
    }
    giveUp?(.cancelled)
  }

  /// Gives the caller an error unless it has its result already.
  func giveUp(_ error: PRFDeviceError) {
    let giveUp = state.withLock { state in
      state.wasGivenUp = true
      return state.giveUp
    }
    giveUp?(error)
  }
}

/// A continuation that the first of several results resumes.
final class FirstResult<Success: Sendable>: Sendable {
  typealias Outcome = Result<Success, PRFDeviceError>

  private let continuation: Mutex<CheckedContinuation<Outcome, Never>?>

  init(_ continuation: CheckedContinuation<Outcome, Never>) {
    self.continuation = Mutex(continuation)
  }

  func resume(_ outcome: Outcome) {
    let continuation = continuation.withLock { $0.take() }
    continuation?.resume(returning: outcome)
  }
}
