internal import CommandSupport

// This folder is for files that other programs keep: where they lie, what a copy is worth, and which
// ones must not be copied. Commands ask it before they back a file up. How a file is backed up is
// not known here.

/// Whether a file may be copied as it lies there, and why not.
package struct CopyAdvice: Equatable, Sendable {
  /// The strength of the advice.
  package enum Weight: Equatable, Sendable {
    /// The copy may be useless in some cases; it is made.
    case caution
    /// The file cannot be copied now; later it can.
    case notNow
    /// A copy would endanger what it is to save; none is made.
    case never
  }

  /// The strength of the advice.
  package var weight: Weight
  /// The danger, as a sentence without a full stop.
  package var reason: String
  /// The better way, as a sentence without a full stop.
  package var instead: String
  /// The address of the documentation that says so.
  package var source: String?

  /// The error of a command that does not copy the file.
  ///
  /// - Parameter path: its path, as the person gave it.
  /// - Returns: `data-invalid`, or `busy` for a file that can be copied later.
  package func message(_ path: String) -> UserMessage {
    switch weight {
    case .caution, .never:
      UserMessage(
        .dataInvalid, "\(ShellWord.quoted(path)) is not backed up: \(reason)", hint: instead)
    case .notNow:
      UserMessage(
        .incomplete, word: "busy", "\(ShellWord.quoted(path)) is not backed up now: \(reason)",
        hint: instead)
    }
  }
}
