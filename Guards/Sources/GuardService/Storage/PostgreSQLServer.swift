internal import Dispatch
internal import Glibc
internal import Synchronization

/// A PostgreSQL server, for several processes of one guard: a few connections, each on a thread of
/// its own, because libpq waits.
final class PostgreSQLServer: GuardDatabase {
  /// The connections of one process.
  static let connections = 4

  private typealias Job = @Sendable (PostgreSQLConnection) -> Void

  private let jobs = JobQueue()

  /// Connections know nothing of files.
  var isInPlace: Bool { true }

  /// Starts the threads; connections are made when they are needed.
  ///
  /// - Parameters:
  ///   - url: the server's URL, or libpq's words.
  ///   - usesServersClock: whether the server's clock counts and not this computer's.
  /// - Throws: ``GuardStoreError``.
  init(url: String, usesServersClock: Bool) throws(GuardStoreError) {
    let jobs = jobs
    for _ in 0..<Self.connections {
      try DatabaseThread.start {
        let connection = PostgreSQLConnection(url: url, usesServersClock: usesServersClock)
        while let job = jobs.next() { job(connection) }
      }
    }
  }

  deinit { jobs.end() }

  func read<R: Sendable>(
    _ body: @escaping @Sendable (any SQLSession) throws(GuardStoreError) -> R
  ) async throws(GuardStoreError) -> R {
    try await transaction(isReading: true, body)
  }

  func write<R: Sendable>(
    _ body: @escaping @Sendable (any SQLSession) throws(GuardStoreError) -> R
  ) async throws(GuardStoreError) -> R {
    try await transaction(isReading: false, body)
  }

  private func transaction<R: Sendable>(
    isReading: Bool, _ body: @escaping @Sendable (any SQLSession) throws(GuardStoreError) -> R
  ) async throws(GuardStoreError) -> R {
    let result: Result<R, GuardStoreError> = await withCheckedContinuation { continuation in
      let isQueued = jobs.add { connection in
        continuation.resume(returning: connection.transaction(isReading: isReading, body))
      }
      if !isQueued { continuation.resume(returning: .failure(.unavailable("closed"))) }
    }
    return try result.get()
  }

  func close() async { jobs.end() }

  /// The transactions that wait for a connection.
  private final class JobQueue: Sendable {
    private let waiting = Mutex<(jobs: [Job], isEnded: Bool)>(([], false))
    private let count = DispatchSemaphore(value: 0)

    /// Adds a job; false after the end.
    func add(_ job: @escaping Job) -> Bool {
      let isAdded = waiting.withLock { waiting in
        if !waiting.isEnded { waiting.jobs.append(job) }
        return !waiting.isEnded
      }
      if isAdded { count.signal() }
      return isAdded
    }

    /// Waits for a job; nil after the end, when all are done.
    func next() -> Job? {
      count.wait()
      return waiting.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
    }

    func end() {
      let isFirst = waiting.withLock { waiting in
        defer { waiting.isEnded = true }
        return !waiting.isEnded
      }
      guard isFirst else { return }
      for _ in 0..<PostgreSQLServer.connections { count.signal() }
    }
  }
}

/// A thread that may wait, outside of Swift's pool.
enum DatabaseThread {
  static func start(_ body: @escaping @Sendable () -> Void) throws(GuardStoreError) {
    let box = unsafe Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { argument in
        if let argument = unsafe argument {
          unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        }
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      unsafe box.release()
      throw .unavailable("no thread")
    }
    pthread_detach(thread)
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
