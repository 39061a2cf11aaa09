internal import Glibc
internal import Synchronization

/// Turns SIGINT, SIGTERM and SIGHUP into cancellation of the running command.
///
/// The signals are blocked in every thread and fetched by the main thread, so
/// that nothing ever runs in a signal handler. The command then ends by itself:
/// it cancels the authenticator, restores the terminal, wipes its secrets. A
/// second signal, or a command that has not ended in five seconds, ends the
/// process at once.
enum Interruption {
  private static let signalled = Atomic<Bool>(false)
  private static let numbers = [SIGINT, SIGTERM, SIGHUP]

  /// Whether a signal has asked the command to end.
  static var received: Bool { signalled.load(ordering: .relaxed) }

  /// Blocks the signals.
  ///
  /// Call before any other thread exists: they inherit it.
  static func prepare() {
    signal(SIGPIPE, SIG_IGN)
    var signals = signalSet()
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Waits for signals until the process ends.
  ///
  /// - Parameter cancel: asks the command to end.
  static func watch(cancel: () -> Void) -> Never {
    var signals = signalSet()
    var deadline: timespec?
    while true {
      let number: Int32
      if var remaining = deadline {
        number = unsafe sigtimedwait(&signals, nil, &remaining)
      } else {
        number = unsafe sigwaitinfo(&signals, nil)
      }
      if number < 0, errno == EINTR { continue }
      if received {
        Terminal.restoreAll()
        _exit(ExitCode.interrupted.rawValue)
      }
      signalled.store(true, ordering: .relaxed)
      cancel()
      deadline = timespec(tv_sec: 5, tv_nsec: 0)
    }
  }

  private static func signalSet() -> sigset_t {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for number in numbers { unsafe sigaddset(&signals, number) }
    return signals
  }
}
