internal import GuardProtocol
internal import Synchronization

/// The counts for the page of metrics.
///
/// No account, subject or address is among them.
final class ServerMetrics: Sendable {
  /// The reasons for which a request is refused before any account is looked at.
  enum Refusal: String, CaseIterable {
    /// The client has too many connections.
    case connections
    /// The client asks too often.
    case rate
    /// The body is too large.
    case size
    /// The request or the client's reading of the answer took too long.
    case slow
    /// The request breaks HTTP's rules about host, length or encoding.
    case unclear
  }

  /// The upper ends of the times that are counted apart, in seconds.
  static let bounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30]

  struct Counted: Hashable {
    let call: String
    let status: Int
  }

  struct Values {
    var requests: [Counted: Int] = [:]
    var refused: [Refusal: Int] = [:]
    /// The requests up to each of the bounds.
    var times = [Int](repeating: 0, count: ServerMetrics.bounds.count)
    var seconds = 0.0
    var tries = TriesOfAnHour()
  }

  private let state = Mutex(Values())

  /// The values so far.
  var values: Values { state.withLock { $0 } }

  /// Counts an answer.
  ///
  /// - Parameters:
  ///   - call: the call; nil for all other paths.
  ///   - status: HTTP's status.
  ///   - nanoseconds: the time from the request's first byte.
  ///   - now: in nanoseconds, of a clock that never goes back.
  func count(_ call: GuardCall?, status: Int, nanoseconds: UInt64, at now: UInt64) {
    let seconds = Double(nanoseconds) / 1e9
    state.withLock { state in
      state.requests[Counted(call: call?.word ?? "other", status: status), default: 0] += 1
      for (index, bound) in Self.bounds.enumerated() where seconds <= bound {
        state.times[index] += 1
      }
      state.seconds += seconds
      if call == .evaluate, status == 200 { state.tries.add(at: now) }
    }
  }

  /// Counts a request or connection that got no further.
  func count(refused reason: Refusal) { state.withLock { $0.refused[reason, default: 0] += 1 } }
}

/// The tries of the last hour, in minutes.
struct TriesOfAnHour: Sendable {
  private var minutes = [(minute: UInt64, count: Int)](repeating: (0, 0), count: 60)

  /// Counts a try.
  ///
  /// - Parameter now: in nanoseconds, of a clock that never goes back.
  mutating func add(at now: UInt64) {
    let minute = Self.minute(now)
    let place = Int(minute % 60)
    if minutes[place].minute != minute { minutes[place] = (minute, 0) }
    minutes[place].count += 1
  }

  /// The tries in the 60 minutes up to now.
  func count(at now: UInt64) -> Int {
    let minute = Self.minute(now)
    return minutes.reduce(0) { $1.minute + 60 > minute ? $0 + $1.count : $0 }
  }

  private static func minute(_ now: UInt64) -> UInt64 { now / 60_000_000_000 + 1 }
}

extension GuardCall {
  /// The last part of its path, for logs and metrics.
  var word: String { String(path.dropFirst("/v1/".count)) }
}
