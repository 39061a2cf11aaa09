import Glibc
import TestSupport
import Testing

/// One process to run: its surroundings, and the input to type.
struct ChildProcess: Sendable {
  var command: [String]
  var environment: [String: String]
  /// Standard input, unless it is the terminal.
  var input: [UInt8] = []
  /// Bytes to read at descriptor 9; nil for none.
  var descriptor9: [UInt8]?
  /// A terminal to run on, and the steps there; nil for none.
  var terminal: [TerminalStep]?
  /// The steps of a process without a terminal.
  var meanwhile: [TerminalStep] = []
  /// Columns of the terminal: so many that only tests of layout see a line broken.
  var columns: UInt16 = 1000
  /// Where standard output goes.
  var standardOutput = StandardOutput.captured

  enum StandardOutput: Sendable {
    case captured
    case terminal
    /// A pipe that nobody reads.
    case brokenPipe
    /// A device that is always full.
    case full
  }

  /// Runs it on its own thread, so that waiting blocks no other test.
  func run() async throws -> Outcome {
    try await Turnstile.shared.enter()
    let result = await withCheckedContinuation { continuation in
      startThread {
        continuation.resume(
          returning: Result {
            var session = try ChildSession(self)
            return try session.finish()
          })
      }
    }
    await Turnstile.shared.leave()
    let outcome = try result.get()
    if outcome.timedOut { throw NotInTime("\(command) was killed: \(outcome.text)") }
    return outcome
  }
}

/// A step of a person at the terminal, or of a test beside it: an expectation or an action.
enum TerminalStep: Sendable, Equatable {
  /// Waits until this text has appeared on the terminal; without one, on standard error.
  case expect(String)
  /// Waits until this text is in a file.
  case find(String, in: String)
  /// Waits until the terminal does not echo: a program has set it up to read.
  case unechoed
  /// Types these characters.
  case type(String)
  /// Writes this text to a file.
  case write(String, to: String)
  /// Waits, in milliseconds: so that a program gets further, where the test does not depend on it.
  case pause(Int)
  /// Closes the terminal's window.
  case hangUp

  /// Ctrl-C.
  static let interrupt = type("\u{3}")
}

/// How a process ended, and its output.
struct Outcome: Sendable {
  /// The exit code, or 128 plus the number of the signal.
  var code: Int32 = -1
  var output: [UInt8] = []
  var errors: [UInt8] = []
  /// Everything that appeared on the terminal.
  var screen = ""
  /// Steps of the terminal's script that were never reached.
  var stepsLeft: [TerminalStep] = []
  /// Whether the terminal echoes and edits lines at the end.
  var terminalIsSane = true
  /// Whether it was killed because it hangs.
  var timedOut = false
  var seconds = 0.0

  var out: String { String(decoding: output, as: UTF8.self) }
  var err: String { String(decoding: errors, as: UTF8.self) }
  /// All the text that a person could have seen, on any stream.
  var text: String { out + err + screen }

  func expectSuccess() { #expect(code == 0, "\(text)") }
}

/// Lets only a few processes run at once: timeouts are for the program, not for a crowded machine.
actor Turnstile {
  static let shared = Turnstile(places: 3)

  private var places: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(places: Int) { self.places = places }

  func enter() async throws {
    if places > 0 {
      places -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func leave() {
    if waiting.isEmpty { places += 1 } else { waiting.removeFirst().resume() }
  }
}

/// Runs `body` on a new thread.
func startThread(_ body: @escaping @Sendable () -> Void) {
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let box = unsafe Unmanaged.passRetained(Box(body)).toOpaque()
  unsafe pthread_create(
    &thread, nil,
    { argument in
      if let argument = unsafe argument {
        unsafe Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
      }
      return nil
    }, box)
  pthread_detach(thread)
}

/// A failed system call that a test needs.
struct SystemFailure: Error, CustomStringConvertible {
  let description: String

  init(_ what: String, _ code: Int32 = errno) {
    description = "\(what): \(unsafe String(cString: strerror(code)))"
  }
}
