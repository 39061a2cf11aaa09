import Dispatch
import Glibc
import Synchronization

/// The first signal that asks the program to end.
///
/// The work stops, and what it made is deleted first.
final class Interruption: Sendable {
  private struct State {
    var signal: Int32?
    var stop: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  // Kept alive only; never used again.
  private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

  init() {
    Glibc.signal(SIGPIPE, SIG_IGN)
    unsafe sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      Glibc.signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number)
    }
    for (number, source) in unsafe zip([SIGINT, SIGTERM, SIGHUP], sources) {
      source.setEventHandler { [weak self] in self?.received(number) }
      source.resume()
    }
  }

  /// The signal that came; nil for none.
  var signal: Int32? { state.withLock { $0.signal } }

  /// Sets what to do when a signal comes, or has come already.
  func onSignal(_ stop: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      state.stop = stop
      return state.signal != nil
    }
    if isLate { stop() }
  }

  private func received(_ number: Int32) {
    let stop = state.withLock { state in
      if state.signal == nil { state.signal = number }
      return state.stop
    }
    stop?()
  }
}
