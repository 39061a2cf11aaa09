/// A thread that runs one task, and sleeps whenever the task waits.
///
/// Tasks otherwise run on threads of libdispatch. From its first job on it wakes the process once a
/// second, to count its threads. A program that waits for days would never be at rest.
package final class TaskThread: TaskExecutor {
  private let jobs = Condition([UnownedJob]())

  /// Starts the thread, which ends with the process.
  ///
  /// - Throws: ``PRFDeviceError/system(errno:)`` when no thread can be created.
  package init() throws(PRFDeviceError) {
    try BackgroundThread.start { [self] in run() }
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.change { $0.append(job) }
  }

  private func run() -> Never {
    while true {
      let next: [UnownedJob] = jobs.wait { jobs in
        if jobs.isEmpty { return .wait }
        defer { jobs.removeAll() }
        return .done(jobs)
      }
      for job in next { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }
}
