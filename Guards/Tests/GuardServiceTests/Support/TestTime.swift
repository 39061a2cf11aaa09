import Synchronization

@testable import GuardService

/// Time that a test sets.
final class TestTime: Sendable {
  static let start: UInt64 = 1_900_000_000

  private let clocks = Mutex<(wall: UInt64, sinceStart: UInt64)>((TestTime.start, 5000))

  var now: UInt64 { clocks.withLock { $0.wall } }

  /// Lets time pass.
  func pass(_ seconds: UInt64) {
    clocks.withLock {
      $0.wall += seconds
      $0.sinceStart += seconds
    }
  }

  /// Sets the wall clock by so many seconds.
  func jump(_ seconds: Int64) {
    clocks.withLock { $0.wall = UInt64(Int64($0.wall) + seconds) }
  }

  var clock: GuardClock {
    GuardClock(
      wall: { self.clocks.withLock { $0.wall } },
      sinceStart: { self.clocks.withLock { $0.sinceStart } })
  }
}
