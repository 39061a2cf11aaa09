internal import Glibc
internal import Synchronization

/// Runs work of a library that may never come back, on a thread of its own.
///
/// A hostile database can keep SQLite busy for hours inside one call. Nothing can end that call but
/// the end of the process. So the caller waits beside it, and goes on without the answer.
enum OwnThread {
  /// Says whether somebody waits.
  ///
  /// The work looks at it from time to time, to end where nobody does.
  final class Waiting: Sendable {
    private let isOver = Atomic<Bool>(false)

    /// Whether somebody waits.
    var goesOn: Bool { !isOver.load(ordering: .relaxed) }

    fileprivate func end() { isOver.store(true, ordering: .relaxed) }
  }

  /// Runs the work and waits for it.
  ///
  /// - Parameters:
  ///   - seconds: how much of the processor the work may take. A busy machine takes none of it.
  ///   - waiting: is looked at by the work.
  ///   - work: the work.
  /// - Returns: its result.
  /// - Throws: the work's error. `unusable` where the work took longer, or the task was cancelled:
  ///   it goes on then, and what comes of it is dropped.
  static func result<Value: ~Copyable & Sendable>(
    within seconds: Int, _ waiting: Waiting,
    of work: @escaping @Sendable () throws(ForeignBackupError) -> Value
  ) throws(ForeignBackupError) -> Value {
    let answer = Answer<Value>()
    let thread = try start {
      do throws(ForeignBackupError) {
        answer.give(.success(try work()))
      } catch {
        answer.give(.failure(error))
      }
    }
    defer { pthread_detach(thread) }
    var pause: UInt32 = 50
    while true {
      if let result = answer.take() { return try result.get() }
      if Task.isCancelled || processorSeconds(of: thread) >= seconds {
        waiting.end()
        throw .unusable(part: "the database", reason: "it takes too long to read")
      }
      usleep(pause)
      pause = min(2 * pause, longestPause)
    }
  }

  /// In microseconds: what is done sooner is looked at sooner.
  private static let longestPause: UInt32 = 20_000

  /// The seconds of the processor that a thread has used.
  private static func processorSeconds(of thread: pthread_t) -> Int {
    var clock = clockid_t()
    var time = timespec()
    guard unsafe pthread_getcpuclockid(thread, &clock) == 0,
      unsafe clock_gettime(clock, &time) == 0
    else { return 0 }
    return time.tv_sec
  }

  private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread that no signal goes to.
  private static func start(
    _ run: @escaping @Sendable () -> Void
  ) throws(ForeignBackupError) -> pthread_t {
    let work = unsafe Unmanaged.passRetained(Work(run))
    var (all, before) = (sigset_t(), sigset_t())
    unsafe sigfillset(&all)
    // A new thread inherits the mask.
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { work in
        if let work = unsafe work {
          unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().run()
        }
        return nil
      }, work.toOpaque())
    guard code == 0 else {
      unsafe work.release()
      throw .unusable(part: "the database", reason: "no thread can be started")
    }
    return thread
  }

  /// A result that one thread gives to another, once.
  private final class Answer<Value: ~Copyable & Sendable>: Sendable {
    private let value = Mutex<Result<Value, ForeignBackupError>?>(nil)

    func give(_ result: consuming Result<Value, ForeignBackupError>) {
      var result = Optional(result)
      value.withLock { $0 = result.take() }
    }

    /// The result; nil while there is none.
    func take() -> Result<Value, ForeignBackupError>? { value.withLock { $0.take() } }
  }
}
