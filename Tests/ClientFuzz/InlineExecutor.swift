import Glibc

/// Runs everything on the thread that calls ``run(_:)``: tasks, actors, and the work that the
/// runtime would give to its own threads.
///
/// Handing work between threads would take longer than the work itself.
final class InlineExecutor: SerialExecutor {
  // Only one thread ever touches it.
  nonisolated(unsafe) private var jobs: [UnownedJob] = []

  static let shared = InlineExecutor()

  private init() { Self.takeOver() }

  func enqueue(_ job: consuming ExecutorJob) {
    unsafe jobs.append(UnownedJob(job))
  }

  private func add(_ job: UnownedJob) { unsafe jobs.append(job) }

  /// Runs `body` to its end.
  ///
  /// If no job is left before `body` has ended, something waits for an event that never comes. The
  /// process then ends, which is a finding.
  func run<R: Sendable>(_ body: @escaping @Sendable () async -> R) -> R {
    let end = End<R>()
    Task { end.result = await body() }
    while unsafe !jobs.isEmpty {
      let batch = unsafe jobs
      unsafe jobs = []
      for job in batch { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
    guard let result = end.result else { preconditionFailure("an operation that never ends") }
    return result
  }

  private final class End<R>: @unchecked Sendable {
    var result: R?
  }

  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  /// Sets the hook that the runtime asks before it uses its own threads.
  private static func takeOver() {
    guard let symbol = unsafe dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else {
      preconditionFailure("this Swift has no hook for its global executor")
    }
    let hook: Hook = { job, _ in InlineExecutor.shared.add(job) }
    unsafe symbol.assumingMemoryBound(to: Hook?.self).pointee = hook
  }
}
