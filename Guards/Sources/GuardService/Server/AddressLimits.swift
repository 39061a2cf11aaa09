internal import Synchronization

/// How much each client may ask: a bucket of requests that fills up again with time.
///
/// A table of a fixed size holds the buckets. Once it is full, clients that are not in it share one.
final class AddressLimits: Sendable {
  /// The most clients that have a bucket of their own.
  static let maximumClients = 65_536

  private struct Bucket {
    var left: Double
    var time: UInt64
  }
  private struct Table {
    var buckets: [[UInt8]: Bucket] = [:]
    var cleaned: UInt64 = 0
  }

  /// The requests that a bucket holds, and that it gets a minute; 0: no limit.
  private let perMinute: Int
  private let table = Mutex(Table())

  /// - Parameter perMinute: the requests a minute, which may also come at once; 0: no limit.
  init(perMinute: Int) { self.perMinute = perMinute }

  /// Takes requests out of a client's bucket.
  ///
  /// - Parameters:
  ///   - cost: how many requests this one counts for.
  ///   - client: the client.
  ///   - now: in nanoseconds, of a clock that never goes back.
  /// - Returns: whether there were as many.
  func admit(_ cost: Int, of client: ClientAddress, at now: UInt64) -> Bool {
    guard perMinute > 0 else { return true }
    return table.withLock { table in
      var key = client.limited
      if table.buckets[key] == nil, table.buckets.count >= Self.maximumClients {
        clean(&table, now)
        // No address is one byte long.
        if table.buckets.count >= Self.maximumClients { key = [0] }
      }
      var bucket = table.buckets[key] ?? Bucket(left: Double(perMinute), time: now)
      bucket.left = filled(bucket, now)
      bucket.time = max(bucket.time, now)
      // The first request always fits into a full bucket.
      let isAdmitted = bucket.left >= min(Double(cost), Double(perMinute))
      if isAdmitted { bucket.left -= Double(cost) }
      table.buckets[key] = bucket
      return isAdmitted
    }
  }

  /// Forgets who has a full bucket, at most once a second.
  private func clean(_ table: inout Table, _ now: UInt64) {
    guard now &- table.cleaned >= 1_000_000_000 else { return }
    table.cleaned = now
    table.buckets = table.buckets.filter { filled($0.value, now) < Double(perMinute) }
  }

  private func filled(_ bucket: Bucket, _ now: UInt64) -> Double {
    let seconds = now > bucket.time ? Double(now - bucket.time) / 1e9 : 0
    return min(Double(perMinute), bucket.left + seconds * Double(perMinute) / 60)
  }
}

/// How many connections each client has open.
final class ConnectionCounts: Sendable {
  private let limit: Int
  private let counts = Mutex<[[UInt8]: Int]>([:])

  /// - Parameter limit: the most of one client.
  init(limit: Int) { self.limit = limit }

  /// Counts a connection, if the client may have one more.
  func open(_ client: ClientAddress) -> Bool {
    counts.withLock { counts in
      let count = counts[client.limited, default: 0]
      guard count < limit else { return false }
      counts[client.limited] = count + 1
      return true
    }
  }

  /// Counts the end of one.
  func close(_ client: ClientAddress) {
    counts.withLock { counts in
      let count = counts[client.limited, default: 0] - 1
      counts[client.limited] = count > 0 ? count : nil
    }
  }

  /// The open connections of all clients.
  var total: Int { counts.withLock { $0.values.reduce(0, +) } }
}
