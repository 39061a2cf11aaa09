/// The sum of a domain's rules: how many queries the service would ever answer, and how soon the
/// last one.
package struct SequentialDelayQuota: Equatable, Sendable {
  /// All queries, of which making the backup took the first.
  package let queries: UInt64
  /// The seconds from the first query to the last, for who asks as soon as it is allowed.
  package let seconds: UInt64

  /// The guesses at a password that are left after the backup was made.
  package var tries: UInt64 { max(queries, 1) - 1 }
}

extension SequentialDelayDomain {
  /// The queries that are ever answered, and their fastest schedule, without going through each:
  /// a file may name more than a computer can count.
  ///
  /// - Parameter start: when the first is made, in Unix seconds. It matters where the first stages
  ///   do not reset the timer: who is late since 1970 never waits.
  /// - Returns: both.
  package func quota(from start: UInt64) -> SequentialDelayQuota {
    var (now, timer) = (start, UInt64(0))
    var queries: UInt64 = 0
    for stage in stages where stage.queries > 0 {
      queries = queries.saturatingSum(stage.queries)
      if stage.resets {
        // The first batch may have to wait for an earlier timer; each later one waits for the delay.
        now = max(now, timer.saturatingSum(stage.delay))
        now = now.saturatingSum(stage.delay.saturatingProduct(stage.batches - 1))
        timer = now
      } else {
        timer = timer.saturatingSum(stage.delay.saturatingProduct(stage.batches))
        now = max(now, timer)
      }
    }
    return SequentialDelayQuota(queries: queries, seconds: now - start)
  }

  /// The times of the first queries, in seconds after the first, for who asks as soon as it is
  /// allowed.
  ///
  /// - Parameters:
  ///   - start: when the first is made, in Unix seconds.
  ///   - limit: the most times.
  /// - Returns: the times.
  package func schedule(from start: UInt64, limit: Int) -> [UInt64] {
    var state = SequentialDelayState()
    var now = start
    var times: [UInt64] = []
    while times.count < limit {
      switch verdict(at: now, state) {
      case .accepted(let next):
        times.append(now - start)
        state = next
      case .notBefore(let time): now = time
      case .never: return times
      }
    }
    return times
  }
}
