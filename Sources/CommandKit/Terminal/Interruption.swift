internal import CLinux
internal import Glibc
internal import Synchronization

/// Turns SIGINT, SIGTERM, SIGHUP and SIGQUIT into cancellation of the running
/// command.
///
/// Those that the process was started to ignore, as by nohup or in the
/// background of a script, stay ignored.
///
/// The signals are blocked in every thread and fetched by the main thread, so
/// that nothing ever runs in a signal handler. The command then ends by itself:
/// it cancels the authenticator, restores the terminal, wipes its secrets. A
/// second signal, or a command that has not ended in five seconds, ends the
/// process at once.
package enum Interruption {
  private static let signalled = Atomic<Bool>(false)
  /// Whether the process was started to ignore SIGPIPE, as by a service manager.
  private static let ignoresPipe = Atomic<Bool>(false)
  private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// Whether a signal has asked the command to end.
  package static var received: Bool { signalled.load(ordering: .relaxed) }

  /// Blocks the signals.
  ///
  /// Call before any other thread exists: they inherit it.
  package static func prepare() {
    ignoresPipe.store(isIgnored(SIGPIPE), ordering: .relaxed)
    signal(SIGPIPE, SIG_IGN)
    var signals = signalSet()
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Ends a process whose reader went away as other programs end then: by SIGPIPE, without a word.
  ///
  /// Returns where the process was started to ignore that signal: then it is an error as any.
  package static func endBySignal() {
    if ignoresPipe.load(ordering: .relaxed) { return }
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
  }

  /// Ends the command where a signal has asked for it: what was read until then
  /// is not all there is.
  ///
  /// - Throws: `interrupted`.
  package static func check() throws(UserMessage) {
    if received { throw .interrupted }
  }

  /// Whether a signal asks the command to end, or does so soon.
  ///
  /// - Parameter milliseconds: how long to wait for one.
  /// - Returns: whether there was one.
  package static func arrives(within milliseconds: Int) -> Bool {
    for _ in 0..<milliseconds / 10 {
      if received { return true }
      usleep(10_000)
    }
    return received
  }

  /// Waits until reading gives something or fails; a signal, which another
  /// thread fetches, would not interrupt the read itself.
  ///
  /// - Throws: `interrupted`.
  static func waitToRead(_ descriptor: Int32) throws(UserMessage) {
    while !(try canRead(descriptor)) {}
  }

  /// Waits a tenth of a second until reading gives something or fails.
  ///
  /// - Returns: whether it does.
  /// - Throws: `interrupted`.
  static func canRead(_ descriptor: Int32) throws(UserMessage) -> Bool {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    if received { throw .interrupted }
    return unsafe poll(&ready, 1, 100) != 0
  }

  /// Waits for signals until the process ends.
  ///
  /// - Parameter cancel: asks the command to end.
  package static func watch(cancel: () -> Void) -> Never {
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
        _exit(ExitReason.interrupted.rawValue)
      }
      signalled.store(true, ordering: .relaxed)
      cancel()
      deadline = timespec(tv_sec: 5, tv_nsec: 0)
    }
  }

  private static func signalSet() -> sigset_t {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for number in numbers where !isIgnored(number) { unsafe sigaddset(&signals, number) }
    return signals
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(number, nil, &action) == 0 else { return false }
    // SIG_IGN is the address 1, which is no function that Swift could compare.
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}
