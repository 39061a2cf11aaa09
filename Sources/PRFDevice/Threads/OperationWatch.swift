internal import CFido2

/// Ends an operation that takes too long or is no longer wanted.
///
/// Its own thread sends CANCEL every 50 ms, from the time-out or the cancellation until the
/// blocking call returns. An authenticator ignores a CANCEL before it waits for a touch, so a
/// single one may be lost. If an authenticator ignores them all, the caller is released after
/// ``grace``. The thread is left to libfido2's own timeout.
@safe
final class OperationWatch: Sendable {
  /// The reason why an operation is being ended.
  enum Ending: Equatable {
    case cancelled
    case timedOut

    /// The caller's error.
    ///
    /// A time-out of a touch is distinguished later.
    var error: PRFDeviceError { self == .cancelled ? .cancelled : .noAnswer }
  }

  /// How long an authenticator has to react to a CANCEL.
  static let grace: Duration = .seconds(2)
  private static let interval: Duration = .milliseconds(50)

  @safe
  private struct State {
    /// The running operation.
    var operation: DeviceOperation?
    var deadline = MonotonicTime(nanoseconds: .max)
    var ending: Ending?
    /// The time when the caller is released, once the operation is being ended.
    var giveUpAt = MonotonicTime(nanoseconds: .max)
    /// The device, during a blocking call.
    var device: OpaquePointer?
    var nextCancel = MonotonicTime(nanoseconds: 0)
    var isStopped = false

    /// Checks whether the operation must end.
    mutating func update(_ now: MonotonicTime) {
      guard let operation, ending == nil else { return }
      if operation.isCancelled {
        ending = .cancelled
      } else if now >= deadline {
        ending = .timedOut
      } else {
        return
      }
      giveUpAt = now.advanced(by: OperationWatch.grace)
    }
  }

  private let state = Condition(State())

  /// Starts the watching thread, which ``stop()`` ends.
  func start() throws(PRFDeviceError) {
    // The thread holds the watch; the authenticator's end stops the thread.
    try BackgroundThread.start { [self] in run() }
  }

  func stop() {
    state.change { $0.isStopped = true }
  }

  /// Begins an operation that may take `timeout` for all its calls.
  func begin(_ operation: DeviceOperation, timeout: Duration) {
    state.change {
      $0.operation = operation
      $0.ending = nil
      $0.giveUpAt = MonotonicTime(nanoseconds: .max)
      $0.deadline = .now().advanced(by: timeout)
    }
  }

  /// Ends the operation's supervision.
  func end() {
    state.change {
      $0.operation = nil
      $0.ending = nil
    }
  }

  /// Checks at once, since an operation was cancelled.
  func wake() {
    state.change { _ in }
  }

  /// The reason why the running operation must end, if any.
  var ending: Ending? {
    state.withLock {
      $0.update(.now())
      return $0.ending
    }
  }

  /// The time for a blocking call: the time left, plus ``grace`` for the answer to a CANCEL.
  var millisecondsLeft: Int32 {
    max(1, state.withLock { $0.deadline }.advanced(by: Self.grace).millisecondsLeft)
  }

  /// Runs one blocking call on `device` with libfido2's timeout set to the time left; sends CANCEL
  /// during it where needed.
  func during(_ device: OpaquePointer, _ call: (OpaquePointer) -> Int32) -> FIDOStatus {
    _ = unsafe fido_dev_set_timeout(device, millisecondsLeft)
    state.change { unsafe $0.device = device }
    let code = unsafe call(device)
    // No CANCEL can be sent from here on: a later one would end the next operation instead.
    state.change { unsafe $0.device = nil }
    return FIDOStatus(code: code)
  }

  private func run() {
    state.wait { state in
      if state.isStopped { return .done(()) }
      guard let operation = state.operation else { return .wait }
      let now = MonotonicTime.now()
      state.update(now)
      guard let ending = state.ending else { return .waitUntil(state.deadline) }
      if now >= state.giveUpAt {
        state.giveUpAt = MonotonicTime(nanoseconds: .max)
        operation.giveUp(ending.error)
      }
      guard let device = unsafe state.device else {
        return .waitUntil(state.giveUpAt)
      }
      if now >= state.nextCancel {
        _ = unsafe fido_dev_cancel(device)
        state.nextCancel = now.advanced(by: Self.interval)
      }
      return .waitUntil(min(state.nextCancel, state.giveUpAt))
    }
  }
}
