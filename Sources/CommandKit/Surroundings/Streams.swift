internal import Glibc
internal import Synchronization

/// The standard streams of a command, and the terminal at which a person is asked.
package struct Streams: Sendable {
  /// Descriptor of standard input.
  package var input: Int32
  /// Descriptor of standard output.
  package var output: Int32
  /// Descriptor of standard error.
  package var error: Int32
  /// Opens the terminal for reading and writing; nil when there is none.
  package var terminal: @Sendable () -> Int32?

  /// The streams of the process.
  package static func process() -> Streams {
    let terminal = OwnTerminal()
    return Streams(
      input: STDIN_FILENO, output: STDOUT_FILENO, error: STDERR_FILENO,
      terminal: { terminal.opened() })
  }
}

/// The terminal of the process: opened once, and never closed.
private final class OwnTerminal: Sendable {
  private let descriptor = Mutex<Int32?>(nil)

  func opened() -> Int32? {
    descriptor.withLock { known in
      if let known { return known }
      let descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
      if descriptor >= 0 { known = descriptor }
      return known
    }
  }
}
