// This folder is for a guard's accounts as values: what a request makes of them at a time. It knows
// no message, no database and no clock. Times are in Unix seconds.

public import CSPP

/// A row of a schedule: `repetitions` batches of `batchSize` tries; the first of a batch waits.
public struct DelayStage: Equatable, Sendable {
  /// The seconds to wait before a batch.
  public let delay: UInt64
  /// Whether the next wait counts from the try, or from the earliest time at which it was allowed:
  /// then someone who came late has waited in part already.
  public let resetsTimer: Bool
  /// The tries of a batch.
  public let batchSize: Int
  /// The batches.
  public let repetitions: Int

  init(_ delay: UInt64, resetsTimer: Bool = true, batch: Int = 1, times: Int = 1) {
    self.delay = delay
    self.resetsTimer = resetsTimer
    batchSize = batch
    repetitions = times
  }

  var size: Int { batchSize * repetitions }
}

/// The rows of both schedules: those of Celo's encrypted backup to the second.
///
/// Their source is celo-org/social-connect, `packages/encrypted-backup/src/config.ts`. The first try
/// is the set-up's.
extension DelaySchedule {
  /// The rows in their order.
  public var stages: [DelayStage] {
    switch self {
    case .pin:
      [
        DelayStage(0), DelayStage(0, batch: 3), DelayStage(10, batch: 2),
        DelayStage(30, resetsTimer: false), DelayStage(60, resetsTimer: false),
        DelayStage(300, resetsTimer: false), DelayStage(900, resetsTimer: false),
        DelayStage(1800),
        DelayStage(86_400, batch: 2), DelayStage(10, resetsTimer: false),
        DelayStage(30, resetsTimer: false), DelayStage(60),
        DelayStage(86_400), DelayStage(10, resetsTimer: false), DelayStage(30),
        DelayStage(86_400), DelayStage(10, resetsTimer: false),
      ]
    case .password:
      [DelayStage(0), DelayStage(0, batch: 5)]
        + [5, 30, 300, 3600, 86_400].map { DelayStage($0, batch: 2, times: 10) }
    }
  }

  /// The tries of an owner, without the set-up's: 20 or 105.
  public var tries: Int { total - 1 }

  /// All tries, with the set-up's.
  var total: Int { stages.reduce(0) { $0 + $1.size } }

  /// The wait before a try.
  ///
  /// - Parameter position: the tries before it.
  /// - Returns: the seconds, and whether the timer starts at the try; nil after the last one.
  func step(at position: Int) -> (delay: UInt64, resetsTimer: Bool)? {
    var start = 0
    for stage in stages {
      if position < start + stage.size {
        let isFirst = (position - start) % stage.batchSize == 0
        return (isFirst ? stage.delay : 0, stage.resetsTimer)
      }
      start += stage.size
    }
    return nil
  }
}
