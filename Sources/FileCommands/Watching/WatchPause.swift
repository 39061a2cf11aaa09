internal import CLinux
internal import CommandKit
internal import Glibc
internal import Synchronization

/// Waits until a watched file may have changed, a time has come, or the program is to end.
///
/// Nothing wakes it in between, so it uses no processor time.
final class WatchPause: Sendable {
  private let timer: Int32
  private let wakening: Int32
  /// The list of mounts: it is readable by POLLPRI when something is mounted or unmounted.
  private let mounts: Int32
  private let hasEnded = Atomic<Bool>(false)

  /// The reason for the end of a pause.
  struct Reasons {
    /// The kernel has notices.
    var hasNotices = false
    /// A file system was mounted or unmounted.
    var hasMounts = false
    /// The program is to end.
    var isEnded = false
  }

  /// - Throws: `io` when the system has no descriptors left.
  init() throws(UserMessage) {
    // This clock goes on while the computer is suspended: what was due then is due at once.
    timer = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC))
    wakening = eventfd(0, Int32(EFD_CLOEXEC))
    mounts = unsafe open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    guard timer >= 0, wakening >= 0 else {
      throw UserMessage(.io, "files cannot be watched: \(systemText(errno))")
    }
  }

  deinit {
    for descriptor in [timer, wakening, mounts] where descriptor >= 0 { close(descriptor) }
  }

  /// The time on the clock of this pause.
  static func now() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Ends this and every later pause; any thread may call it.
  func end() {
    hasEnded.store(true, ordering: .relaxed)
    eventfd_write(wakening, 1)
  }

  /// Whether ``end()`` was called.
  var isOver: Bool { hasEnded.load(ordering: .relaxed) }

  /// Waits.
  ///
  /// - Parameters:
  ///   - time: until when; nil: without end.
  ///   - notices: the descriptor of the kernel's notices; -1 for none.
  /// - Returns: the reasons for its end; none when the time has come.
  func wait(until time: Duration?, notices: Int32) -> Reasons {
    set(time)
    var places = [
      pollfd(fd: wakening, events: Int16(POLLIN), revents: 0),
      pollfd(fd: timer, events: Int16(POLLIN), revents: 0),
      pollfd(fd: notices, events: Int16(POLLIN), revents: 0),
      pollfd(fd: mounts, events: Int16(POLLPRI), revents: 0),
    ]
    let count = nfds_t(places.count)
    // Every signal is blocked here: nothing else interrupts it.
    unsafe poll(&places, count, -1)
    return Reasons(
      hasNotices: places[2].revents != 0, hasMounts: places[3].revents != 0,
      isEnded: isOver)
  }

  private func set(_ time: Duration?) {
    var setting = itimerspec()
    if let time {
      // Zero would stop the timer.
      let (seconds, attoseconds) = max(time, .nanoseconds(1)).components
      setting.it_value.tv_sec = Int(seconds)
      setting.it_value.tv_nsec = max(Int(attoseconds / 1_000_000_000), seconds == 0 ? 1 : 0)
    }
    unsafe timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME), &setting, nil)
  }
}
