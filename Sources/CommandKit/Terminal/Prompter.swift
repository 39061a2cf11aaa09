internal import Glibc
package import SecretMemory

/// Asks and tells the person at the keyboard: on the terminal when there is
/// one, else what needs no answer goes to standard error.
///
/// What a calling program
/// has to know goes to its events stream in the same call.
package struct Prompter: Sendable {
  /// The terminal, or nil: none, or `--no-input`.
  package let terminal: Terminal?
  /// Where prompts go that need no answer when there is no terminal.
  package let output: Output
  /// Where a calling program is told.
  package let events: Events
  /// Whether anybody may be asked anything: not with `--no-input`.
  package let mayAsk: Bool
  /// The time that reminders go by.
  package let time: PassingTime

  package init(output: Output, noInput: Bool, events: Events, _ world: World) {
    terminal = noInput ? nil : Terminal.open(world)
    time = world.time
    self.output = output
    self.events = events
    mayAsk = !noInput
  }

  /// Whether somebody can answer.
  package var canAsk: Bool { terminal != nil }

  /// Tells what the person must do now; never hidden by `--quiet`, because
  /// silence would look like a hang.
  package func tell(_ text: String) {
    guard let terminal else { return output.warn(text) }
    terminal.show(terminal.wrapped(text) + "\n")
  }

  /// Asks for a secret with echo off, until it is text.
  ///
  /// Nobody sees that an arrow key or Tab left its bytes in a hidden line.
  ///
  /// - Parameters:
  ///   - prompt: shown first.
  ///   - limit: most bytes accepted.
  ///   - allowsTabs: whether a Tab between words is white space.
  /// - Returns: the bytes, or nil at end of input.
  /// - Throws: interrupted.
  package func secret(
    _ prompt: String, limit: Int, allowsTabs: Bool = false
  ) throws(UserMessage) -> SecretBytes? {
    guard let terminal else { return nil }
    while true {
      var line = SecretBytes(zeroed: limit + 1)
      switch terminal.readSecret(prompt: terminal.wrapped(prompt), into: &line) {
      case .line:
        // A longer line is cut off, which may be within a character: the caller refuses it.
        guard line.count <= limit, let flaw = line.textFlaw(allowsTabs: allowsTabs) else {
          return line
        }
        tell("What you typed \(flaw.words). It was not used. Type it again.")
      case .endOfInput: return nil
      case .cancelled: throw .interrupted
      }
    }
  }

  /// Asks a yes-or-no question; no terminal or no clear yes is a no.
  package func confirm(_ question: String) throws(UserMessage) -> Bool {
    guard let terminal else { return false }
    let answer = terminal.readAnswer(prompt: terminal.wrapped(question + " [y/N] "))
    if Interruption.received { throw .interrupted }
    return ["y", "yes"].contains((answer ?? "").lowercased())
  }
}
