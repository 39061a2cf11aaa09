internal import Glibc

/// A thread for work that waits for the system.
///
/// It has the signals blocked that this program fetches, as every other thread.
enum WatchThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs a closure on a new thread.
  ///
  /// - Returns: whether it was started.
  static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
    let body = unsafe Unmanaged.passRetained(Body(run))
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { raw in
        if let raw = unsafe raw {
          unsafe Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run()
        }
        return nil
      }, body.toOpaque())
    guard code == 0 else {
      unsafe body.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}
