internal import Glibc

// This folder is for time: the clocks, and when a person has to look at them. It knows no request.

/// The clocks that a guard reads, as a value, so that another can be put in their place.
public struct GuardClock: Sendable {
  /// The wall clock in Unix seconds.
  let wall: @Sendable () -> UInt64
  /// The seconds since the computer started, also while it slept; nobody can set this clock.
  let sinceStart: @Sendable () -> UInt64

  /// Takes clocks.
  ///
  /// - Parameters:
  ///   - wall: gives the time in Unix seconds.
  ///   - sinceStart: gives seconds that nobody can set.
  public init(
    wall: @escaping @Sendable () -> UInt64, sinceStart: @escaping @Sendable () -> UInt64
  ) {
    self.wall = wall
    self.sinceStart = sinceStart
  }

  /// The system's clocks.
  public static let system = GuardClock(
    wall: { seconds(CLOCK_REALTIME) }, sinceStart: { seconds(CLOCK_BOOTTIME) })

  private static func seconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return UInt64(clamping: time.tv_sec)
  }
}
