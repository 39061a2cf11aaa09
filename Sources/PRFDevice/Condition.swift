internal import Glibc

/// A value behind a lock, with a condition to wait for.
///
/// The device's threads share their values in this way. Waits use the monotonic clock.
@safe
final class Condition<Value>: @unchecked Sendable {
  // `@unchecked Sendable`: `value` is used only with the mutex held.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var value: Value

  init(_ value: sending Value) {
    self.value = value
    unsafe mutex = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(condition, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  /// Runs `body` with the lock held.
  func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Runs `body` with the lock held and wakes every waiter.
  func change(_ body: (inout Value) -> Void) {
    unsafe pthread_mutex_lock(mutex)
    body(&value)
    unsafe pthread_cond_broadcast(condition)
    unsafe pthread_mutex_unlock(mutex)
  }

  /// The decision of a waiter that examined the value with the lock held.
  enum Next<R> {
    case done(R)
    case wait
    case waitUntil(MonotonicTime)
  }

  /// Calls `look` with the lock held until it is done: now, after every change, and at the time it
  /// returned.
  func wait<R>(_ look: (inout Value) -> Next<R>) -> R {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      switch look(&value) {
      case .done(let result):
        return result
      case .wait:
        unsafe pthread_cond_wait(condition, mutex)
      case .waitUntil(let time):
        var limit = time.timespec
        unsafe pthread_cond_timedwait(condition, mutex, &limit)
      }
    }
  }
}

/// A time of the monotonic clock, in nanoseconds.
struct MonotonicTime: Comparable {
  var nanoseconds: Int64

  static func now() -> MonotonicTime {
    var time = Glibc.timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The time after `duration`, limited to the largest value.
  func advanced(by duration: Duration) -> MonotonicTime {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
    return MonotonicTime(nanoseconds: overflow ? .max : sum)
  }

  /// The remaining time in milliseconds, rounded up and not negative.
  var millisecondsLeft: Int32 {
    let left = max(0, nanoseconds - MonotonicTime.now().nanoseconds)
    return Int32(clamping: left / 1_000_000 + (left % 1_000_000 == 0 ? 0 : 1))
  }

  var timespec: Glibc.timespec {
    Glibc.timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}

extension Duration {
  /// Nanoseconds, limited to 64 bits.
  var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, carried) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return carried ? (seconds < 0 ? .min : .max) : sum
  }
}
