internal import Synchronization

/// One call of a caller, from its start until it has its result: the result
/// comes from the device's thread, or, when that is stuck in a key that
/// answers nothing, from whoever gives up.
final class DeviceOperation: Sendable {
  private struct State {
    var isStarted = false
    var isCancelled = false
    var wasGivenUp = false
    var runner: Task<Void, Never>?
    /// Hands the caller an error as its result.
    var giveUp: (@Sendable (PRFDeviceError) -> Void)?
  }

  private let state = Mutex(State())

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// The caller has its result while the device's thread may still be stuck.
  var wasGivenUp: Bool { state.withLock { $0.wasGivenUp } }

  /// The task that runs the operation on the device's thread.
  var runner: Task<Void, Never>? {
    get { state.withLock { $0.runner } }
    set { state.withLock { $0.runner = newValue } }
  }

  /// The caller waits from now on.
  func wait(giveUp: @escaping @Sendable (PRFDeviceError) -> Void) {
    let isCancelled = state.withLock { state in
      state.giveUp = giveUp
      return state.isCancelled
    }
    if isCancelled { giveUp(.cancelled) }
  }

  /// The device's thread begins; `false` when nobody wants it any more.
  func start() -> Bool {
    state.withLock { state in
      state.isStarted = !state.isCancelled
      return state.isStarted
    }
  }

  /// The caller's task was cancelled.
  ///
  /// What has not begun ends here; what has
  /// is ended by ``OperationWatch``.
  func cancel() {
    let giveUp = state.withLock { state -> (@Sendable (PRFDeviceError) -> Void)? in
      state.isCancelled = true
      if state.isStarted { return nil }
      state.wasGivenUp = true
      return state.giveUp
    }
    giveUp?(.cancelled)
  }

  /// Gives the caller an error, unless it has its result already.
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
