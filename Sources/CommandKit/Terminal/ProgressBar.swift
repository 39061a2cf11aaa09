internal import Glibc

/// Shows how far a long run has come: a line on standard error, only on a
/// terminal, never with `--quiet`, and gone when the run ends; and events.
package struct ProgressBar: ~Copyable {
  private let output: Output
  private let events: Events
  private let verb: String
  private let unit: Unit
  private let active: Bool
  private var lastShown = -1
  private var lastTold = -1

  /// The things that are counted.
  package enum Unit: Sendable {
    /// Wallets, or anything of which there may be a few.
    case pieces
    /// Bytes of a large file, shown as people read sizes.
    case bytes
  }

  /// - Parameters:
  ///   - verb: what is being done, such as "Restoring".
  ///   - unit: the things that are counted.
  ///   - output: decides whether there is anything to show.
  ///   - terminalName: the value of TERM.
  ///   - events: where a calling program is told.
  package init(
    _ verb: String, unit: Unit = .pieces, output: Output, terminalName: String?, events: Events
  ) {
    self.verb = verb
    self.unit = unit
    self.output = output
    self.events = events
    active =
      !output.quiet && isatty(output.standardError) == 1 && terminalName != nil
      && terminalName != "dumb"
  }

  /// Shows `done` of `total`, at most once per hundredth part.
  ///
  /// - Parameters:
  ///   - done: how many are done; may turn out to be more than `expected`, as
  ///     when wallets whose files are missing come back from the log.
  ///   - expected: how many there seemed to be.
  package mutating func advance(to done: Int, of expected: Int) {
    let total = max(done, expected)
    let hundredths = total == 0 ? 100 : done * 100 / total
    if hundredths != lastTold {
      lastTold = hundredths
      events.send(.progress(what: verb, done: done, total: total))
    }
    guard active, total >= 50, hundredths != lastShown else { return }
    lastShown = hundredths
    let count =
      switch unit {
      case .pieces: " \(done) of \(total)"
      case .bytes: " \(PrintableSize.text(UInt64(done))) of \(PrintableSize.text(UInt64(total)))"
      }
    let room = (output.noteScreen.width ?? 80) - verb.count - count.count - 4
    let length = max(5, min(30, room))
    let filled = hundredths * length / 100
    let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: length - filled)
    // A size may get shorter.
    write("\r\(verb) [\(bar)]\(count)" + (unit == .bytes ? "\u{1B}[K" : ""))
  }

  /// Clears the line.
  package mutating func finish() {
    if active, lastShown >= 0 { write("\r\u{1B}[K") }
    lastShown = -1
  }

  deinit {
    if active, lastShown >= 0 { write("\r\u{1B}[K") }
  }

  private func write(_ text: String) {
    try? unsafe Output.writeAll(Array(text.utf8).span.bytes, to: output.standardError)
  }
}
