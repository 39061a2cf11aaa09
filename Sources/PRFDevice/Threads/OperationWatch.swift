internal import CFido2

/// Ends an operation that takes too long or is no longer wanted.
///
/// A thread of its own sends CANCEL every 50 ms from the time-out, or from the
/// cancellation, until the blocking call returns: an authenticator ignores a
/// CANCEL that comes before it waits for a touch, so a single one may be lost.
/// From an authenticator that ignores them all the caller is freed after
/// ``grace``; the thread is left to libfido2's own timeout.
@safe
final class OperationWatch: Sendable {
  /// Why an operation is being ended.
  enum Ending: Equatable {
    case cancelled
    case timedOut

    /// What the caller gets.
    ///
    /// A time-out of a touch is told apart later.
    var error: PRFDeviceError { self == .cancelled ? .cancelled : .noAnswer }
  }

  /// How long an authenticator has to take note of a CANCEL.
  static let grace: Duration = .seconds(2)
  private static let interval: Duration = .milliseconds(50)

  @safe
  private struct State {
    /// The operation under way.
    var operation: DeviceOperation?
    var deadline = MonotonicTime(nanoseconds: .max)
    var ending: Ending?
    /// When the caller is freed, once the operation is being ended.
    var giveUpAt = MonotonicTime(nanoseconds: .max)
    /// The device, while a blocking call is under way.
    var device: OpaquePointer?
    var nextCancel = MonotonicTime(nanoseconds: 0)
    var isStopped = false

    /// Looks whether the operation is to end.
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
    // The thread holds the watch; the authenticator's end stops it.
    try BackgroundThread.start { [self] in run() }
  }

  func stop() {
    state.change { $0.isStopped = true }
  }

  /// An operation begins: it may take `timeout` over all its calls.
  func begin(_ operation: DeviceOperation, timeout: Duration) {
    state.change {
      $0.operation = operation
      $0.ending = nil
      $0.giveUpAt = MonotonicTime(nanoseconds: .max)
      $0.deadline = .now().advanced(by: timeout)
    }
  }

  /// The operation is over; there is nothing to end any more.
  func end() {
    state.change {
      $0.operation = nil
      $0.ending = nil
    }
  }

  /// An operation was cancelled: look at once.
  func wake() {
    state.change { _ in }
  }

  /// Why the operation under way is to end, if it is.
  var ending: Ending? {
    state.withLock {
      $0.update(.now())
      return $0.ending
    }
  }

  /// What a blocking call may take: the time that is left, and ``grace`` for
  /// a CANCEL to be answered.
  var millisecondsLeft: Int32 {
    max(1, state.withLock { $0.deadline }.advanced(by: Self.grace).millisecondsLeft)
  }

  /// Runs one blocking call on `device` with libfido2's timeout set to what is
  /// left, and sends CANCEL meanwhile where needed.
  func during(_ device: OpaquePointer, _ call: (OpaquePointer) -> Int32) -> FIDOStatus {
    _ = unsafe fido_dev_set_timeout(device, millisecondsLeft)
    state.change { unsafe $0.device = device }
    let code = unsafe call(device)
    // From here on no CANCEL can be sent: one that came later would end the
    // next operation instead.
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
