// This folder is for the thread that blocks in libfido2 or pcscd, its operations, time limits and
// cancellation. Authenticator runs every call through it. CTAP is not known here.

internal import Glibc

/// A thread that runs a closure with every signal blocked.
///
/// libfido2 treats an interrupted wait as a failed one, so resizing a window would end an
/// operation.
package enum BackgroundThread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// - Throws: ``PRFDeviceError/system(errno:)`` when no thread can be created.
  package static func start(_ run: @escaping @Sendable () -> Void) throws(PRFDeviceError) {
    let body = unsafe Unmanaged.passRetained(Body(run))
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    // A new thread inherits the mask.
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let result = unsafe pthread_create(
      &thread, nil,
      { raw in
        if let raw = unsafe raw {
          unsafe Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run()
        }
        return nil
      }, body.toOpaque())
    guard result == 0 else {
      unsafe body.release()
      throw .system(errno: Int(result))
    }
    pthread_detach(thread)
  }
}

/// The thread of one opened authenticator.
///
/// libfido2 blocks in every call and keeps state per thread. So all calls of one authenticator run
/// here, never on the cooperative pool.
final class DeviceThread: Sendable {
  let executor: ThreadExecutor

  /// Starts the thread.
  init() throws(PRFDeviceError) {
    let executor = ThreadExecutor()
    self.executor = executor
    // The thread keeps the executor alive, not this object, whose end stops the thread.
    try BackgroundThread.start { executor.run() }
  }

  deinit {
    executor.stop()
  }
}

/// Runs jobs one after another on the thread that called ``run()``.
final class ThreadExecutor: SerialExecutor {
  private struct Queue {
    var jobs: [UnownedJob] = []
    var isStopped = false
  }

  private let queue = Condition(Queue())

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.change { $0.jobs.append(job) }
  }

  /// Ends ``run()`` once every job has run.
  func stop() {
    queue.change { $0.isStopped = true }
  }

  func run() {
    while let jobs = next() {
      for job in jobs {
        unsafe job.runSynchronously(on: asUnownedSerialExecutor())
      }
    }
  }

  private func next() -> [UnownedJob]? {
    queue.wait { queue in
      if !queue.jobs.isEmpty {
        defer { queue.jobs.removeAll() }
        return .done(queue.jobs)
      }
      return queue.isStopped ? .done(nil) : .wait
    }
  }
}
