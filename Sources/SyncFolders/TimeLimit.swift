internal import CommandKit
internal import Glibc
internal import Synchronization

/// Limits the time of file system calls that may never return, such as on a mount whose server is
/// gone.
package enum TimeLimit {
  /// Runs `body` on its own thread and waits up to `seconds` for it.
  ///
  /// - Returns: its result; nil when it took longer or a signal came. It then continues, and its
  ///   result is dropped.
  package static func result<Result: Sendable>(
    within seconds: Double, of body: @escaping @Sendable () -> Result
  ) -> Result? {
    let answer = Answer<Result>()
    let box = unsafe Unmanaged.passRetained(
      Work {
        let result = body()
        answer.value.withLock { $0 = result }
      })
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { argument in
        if let argument = unsafe argument {
          unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
        }
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      unsafe box.release()
      return nil
    }
    pthread_detach(thread)
    for _ in 0..<Int(seconds * 200) {
      if let result = answer.value.withLock({ $0 }) { return result }
      if Interruption.received { return nil }
      usleep(5000)
    }
    return answer.value.withLock { $0 }
  }

  private final class Answer<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
