internal import CFido2

/// Ends an operation that takes too long or is no longer wanted.
///
/// A thread of its own sends CANCEL every 50 ms from the time-out, or from the
/// cancellation, until the blocking call returns: an authenticator ignores a
/// CANCEL that comes before it waits for a touch, so a single one may be lost.
/// An authenticator that answers nothing at all is left to libfido2's own
/// timeout, set ``grace`` later.
@safe
final class OperationWatch: Sendable {
  /// Why an operation is being ended.
  enum Ending: Equatable {
    case cancelled
    case timedOut
  }

  /// How long after the time-out libfido2 gives up by itself.
  static let grace: Duration = .seconds(2)
  private static let interval: Duration = .milliseconds(50)

  @safe
  private struct State {
    var isOperating = false
    var deadline = MonotonicTime(nanoseconds: .max)
    var ending: Ending?
    /// The device, while a blocking call is under way.
    var device: OpaquePointer?
    var nextCancel = MonotonicTime(nanoseconds: 0)
    var isStopped = false
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
  func begin(timeout: Duration) {
    state.change {
      $0.isOperating = true
      $0.ending = nil
      $0.deadline = .now().advanced(by: timeout)
    }
  }

  /// The operation is over; a cancellation has nothing to end any more.
  func end() {
    state.change {
      $0.isOperating = false
      $0.ending = nil
    }
  }

  /// Ends the operation under way, if there is one.
  func cancel() {
    state.change {
      if $0.isOperating, $0.ending == nil { $0.ending = .cancelled }
    }
  }

  /// Why the operation is to end, if it is.
  var ending: Ending? {
    state.withLock {
      if $0.ending == nil, $0.isOperating, MonotonicTime.now() >= $0.deadline {
        $0.ending = .timedOut
      }
      return $0.ending
    }
  }

  /// Runs one blocking call on `device` with libfido2's timeout set to what is
  /// left, and sends CANCEL meanwhile where needed.
  func during(
    _ device: OpaquePointer, _ call: (OpaquePointer) -> Int32
  ) -> FIDOStatus {
    let deadline = state.withLock { $0.deadline }
    let limit = deadline.advanced(by: Self.grace).millisecondsLeft
    _ = unsafe fido_dev_set_timeout(device, max(1, limit))
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
      guard let device = unsafe state.device else { return .wait }
      let now = MonotonicTime.now()
      if state.ending == nil {
        guard now >= state.deadline else { return .waitUntil(state.deadline) }
        state.ending = .timedOut
      }
      if now >= state.nextCancel {
        _ = unsafe fido_dev_cancel(device)
        state.nextCancel = now.advanced(by: Self.interval)
      }
      return .waitUntil(state.nextCancel)
    }
  }
}
