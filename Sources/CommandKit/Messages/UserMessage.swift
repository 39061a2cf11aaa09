// This folder is for what people and scripts read: errors as what happened and what to do,
// exit codes, text and JSON. Every room uses it. Nothing is written to a stream here, and
// no option or command is known.

internal import Glibc

/// Why a command ends early: what happened, what to do, and the exit code.
///
/// Every error of the libraries becomes one of these in one total switch; no
/// text in it ever holds a secret.
package struct UserMessage: Error, Sendable, Equatable {
  /// The exit code.
  package var code: ExitReason
  /// The stable word for JSON; nearly always `code.word`.
  package var word: String
  /// The event, in one sentence without a full stop.
  package var message: String
  /// The advice, or nil when nothing can be done.
  package var hint: String?

  package init(_ code: ExitReason, word: String? = nil, _ message: String, hint: String? = nil) {
    self.code = code
    self.word = word ?? code.word
    self.message = message
    self.hint = hint
  }

  /// The event, as a sentence of its own.
  package var sentence: String { message.prefix(1).uppercased() + message.dropFirst() + "." }

  /// The same error with one more line of advice.
  package func adding(hint more: String) -> UserMessage {
    var message = self
    message.hint = (hint.map { $0 + "\n" } ?? "") + more
    return message
  }

  /// The same error where a run ends with a more urgent code.
  package func ending(with code: ExitReason) -> UserMessage {
    if code == self.code { return self }
    var message = self
    (message.code, message.word) = (code, code.word)
    return message
  }

  /// The command was cancelled by a signal.
  package static let interrupted = UserMessage(
    .interrupted, "interrupted; nothing was left half-done")

  /// The reader of the output closed its pipe, as `head` does; see ``Interruption/endBySignal()``.
  package static let readerGone = UserMessage(
    .io, "the output could not be written: \(systemText(EPIPE))")

  /// The report when a signal came before this error: the cancellation,
  /// which most errors then are, with this one's own addition.
  package var afterInterruption: UserMessage {
    code == .interrupted ? self : .interrupted
  }
}
