internal import Glibc

/// The page `/metrics`, in the text format of Prometheus.
struct MetricsPage {
  private var text = ""

  /// - Parameters:
  ///   - values: what the server counted.
  ///   - state: the state of the guard.
  ///   - connections: the open connections.
  ///   - freeDisk: the bytes free where the guard keeps its state; nil: not known.
  ///   - now: in nanoseconds, of the server's clock.
  init(
    _ values: ServerMetrics.Values, _ state: GuardState, connections: Int, freeDisk: UInt64?,
    at now: UInt64
  ) {
    gauge(
      "clock_halted", "1 while the guard waits for: keybackup-guard clock --accept",
      state.isClockHalted ? 1 : 0)
    gauge(
      "restored", "1 while an account that was imported was not reset by its owner",
      state.isRestored ? 1 : 0)
    gauge(
      "exported", "1 for a guard that was exported, and answers no more", state.isStopped ? 1 : 0)
    gauge("database_up", "1 while the database stores changes", state.isDatabaseUp ? 1 : 0)
    gauge("connections", "Open connections", connections)
    gauge("tries_last_hour", "Evaluations in the last 60 minutes", values.tries.count(at: now))
    if let freeDisk { gauge("disk_free_bytes", "Free space for the state", freeDisk) }
    head("requests_total", "counter", "Requests by call and HTTP status")
    for (counted, count) in values.requests.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      line("requests_total{call=\"\(counted.call)\",status=\"\(counted.status)\"}", count)
    }
    head("refused_total", "counter", "Requests and connections refused unseen, by reason")
    for reason in ServerMetrics.Refusal.allCases {
      line("refused_total{reason=\"\(reason.rawValue)\"}", values.refused[reason] ?? 0)
    }
    head("request_seconds", "histogram", "Time from a request's head to its answer")
    let total = values.requests.values.reduce(0, +)
    for (bound, count) in zip(ServerMetrics.bounds, values.times) {
      line("request_seconds_bucket{le=\"\(bound)\"}", count)
    }
    line("request_seconds_bucket{le=\"+Inf\"}", total)
    line("request_seconds_sum", values.seconds)
    line("request_seconds_count", total)
  }

  /// The page, in UTF-8.
  var body: [UInt8] { Array(text.utf8) }

  private mutating func gauge(_ name: String, _ help: String, _ value: some CustomStringConvertible)
  {
    head(name, "gauge", help)
    line(name, value)
  }

  private mutating func head(_ name: String, _ kind: String, _ help: String) {
    text += "# HELP keybackup_guard_\(name) \(help).\n# TYPE keybackup_guard_\(name) \(kind)\n"
  }

  private mutating func line(_ name: String, _ value: some CustomStringConvertible) {
    text += "keybackup_guard_\(name) \(value)\n"
  }
}

/// The free space of a file system.
enum FreeDisk {
  /// The bytes that this process may still write there; nil: not known.
  static func bytes(at path: String) -> UInt64? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return nil }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize)
  }
}
