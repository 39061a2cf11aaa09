internal import Glibc

/// A line on standard error that shows how far a long run has come; only on a
/// terminal, never with `--quiet`, and gone when the run ends.
struct ProgressBar: ~Copyable {
  private let output: Output
  private let verb: String
  private let active: Bool
  private var lastShown = -1

  /// - Parameters:
  ///   - verb: what is being done, such as "Restoring".
  ///   - output: decides whether there is anything to show.
  ///   - terminalName: the value of TERM.
  init(_ verb: String, output: Output, terminalName: String?) {
    self.verb = verb
    self.output = output
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
  mutating func advance(to done: Int, of expected: Int) {
    let total = max(done, expected)
    guard active, total >= 50 else { return }
    let hundredths = done * 100 / total
    guard hundredths != lastShown else { return }
    lastShown = hundredths
    let filled = hundredths * 30 / 100
    let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: 30 - filled)
    write("\r\(verb) [\(bar)] \(done) of \(total)")
  }

  /// Clears the line.
  mutating func finish() {
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
