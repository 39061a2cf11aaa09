internal import Glibc
internal import Synchronization

/// Turns SIGINT, SIGTERM and SIGHUP into cancellation of the running command.
///
/// The signals are blocked in every thread and fetched by one thread of our
/// own, so that nothing ever runs in a signal handler. The command then ends
/// by itself: it cancels the authenticator, restores the terminal, wipes its
/// secrets. A second signal, or a command that has not ended in five seconds,
/// ends the process at once.
enum Interruption {
  private struct State {
    var handler: (@Sendable () -> Void)?
    var received = false
  }

  private static let state = Mutex(State())

  /// Whether a signal has asked the command to end.
  static var received: Bool { state.withLock { $0.received } }

  /// Starts the watch.
  ///
  /// Call once, before any other thread exists.
  static func watch() {
    signal(SIGPIPE, SIG_IGN)
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&signals, number) }
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    var thread = pthread_t()
    unsafe pthread_create(
      &thread, nil,
      { _ in
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&signals, number) }
        while true {
          var number: Int32 = 0
          guard unsafe sigwait(&signals, &number) == 0 else { continue }
          Interruption.fire()
        }
      }, nil)
    pthread_detach(thread)
  }

  /// Names what a signal shall do from now on; runs it at once if one came
  /// already.
  static func onSignal(_ handler: @escaping @Sendable () -> Void) {
    let late = state.withLock { state in
      state.handler = handler
      return state.received
    }
    if late { handler() }
  }

  private static func fire() {
    let (handler, again) = state.withLock { state in
      defer { state.received = true }
      return (state.handler, state.received)
    }
    if again { endNow() }
    handler?()
    var thread = pthread_t()
    unsafe pthread_create(
      &thread, nil,
      { _ in
        sleep(5)
        Interruption.endNow()
      }, nil)
    pthread_detach(thread)
  }

  private static func endNow() -> Never {
    Terminal.restoreAll()
    _exit(ExitCode.interrupted.rawValue)
  }
}
