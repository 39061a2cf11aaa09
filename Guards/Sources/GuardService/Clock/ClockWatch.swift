internal import Synchronization

/// Notices jumps of the wall clock.
///
/// The wall clock is compared with the clock that nobody can set, from the process's first look or
/// the last acceptance on. Small steps add up.
final class ClockWatch: Sendable {
  /// The seconds by which both clocks may differ.
  static let tolerance: UInt64 = 60

  /// The results of a look.
  enum Reading: Equatable, Sendable {
    /// The time in Unix seconds.
    case good(UInt64)
    /// The clock jumped just now: all processes of the guard must halt.
    case jumped(UInt64)
    /// The guard waits for a person.
    case halted(UInt64)

    /// The time, right or wrong, in Unix seconds.
    var time: UInt64 {
      switch self {
      case .good(let time), .jumped(let time), .halted(let time): time
      }
    }
  }

  private struct Start {
    let wall: UInt64
    let sinceStart: UInt64
    let accepted: UInt64
  }

  private let clock: GuardClock
  private let start = Mutex<Start?>(nil)

  init(_ clock: GuardClock) { self.clock = clock }

  /// The process's own wall clock, or the database's.
  func time(_ database: UInt64?) -> UInt64 { database ?? clock.wall() }

  /// Looks at the clocks.
  ///
  /// - Parameters:
  ///   - row: the state of the guard, just read.
  ///   - time: the database's clock, if it has one.
  /// - Returns: the reading.
  func read(_ row: GuardRow, _ time: UInt64?) -> Reading {
    let wall = self.time(time)
    let sinceStart = clock.sinceStart()
    if row.isHalted { return .halted(wall) }
    return start.withLock { start in
      if start.map({ row.accepted > $0.accepted }) ?? true {
        // A start before the stored time.
        if wall < row.clock { return .jumped(wall) }
        start = Start(wall: wall, sinceStart: sinceStart, accepted: row.accepted)
      }
      guard let start else { return .jumped(wall) }
      let expected = start.wall + (sinceStart - min(start.sinceStart, sinceStart))
      let difference = max(expected, wall) - min(expected, wall)
      let isBehind = wall + Self.tolerance < row.clock
      return difference > Self.tolerance || isBehind ? .jumped(wall) : .good(wall)
    }
  }
}
