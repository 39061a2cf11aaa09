internal import CommandKit

/// One line of `keybackup doctor`.
struct Check: Sendable {
  enum Status: String, Sendable {
    case ok
    /// Works, and could be better.
    case warning
    /// Something does not work until a person changes it.
    case failed
  }

  /// A fixed word, or `key` with the path of a key.
  var name: String
  var status: Status
  /// The result, in words.
  var message: String
  /// The advice.
  var hint: String?
  /// The exit code, when it failed.
  var code = ExitReason.success
  /// More for programs.
  var details: [String: JSONOutput] = [:]

  static func ok(_ name: String, _ message: String, hint: String? = nil) -> Check {
    Check(name: name, status: .ok, message: message, hint: hint)
  }

  static func warning(_ name: String, _ message: String, hint: String) -> Check {
    Check(name: name, status: .warning, message: message, hint: hint)
  }

  /// A failure; every one says what to do.
  static func failed(_ name: String, _ code: ExitReason, _ message: String, hint: String) -> Check {
    Check(name: name, status: .failed, message: message, hint: hint, code: code)
  }

  static func failed(_ name: String, _ error: UserMessage) -> Check {
    Check(
      name: name, status: .failed, message: error.message, hint: error.hint, code: error.code)
  }

  /// The check as an object.
  var json: JSONOutput {
    var object: JSONOutput = [
      "name": .string(name), "status": .string(status.rawValue), "message": .string(message),
      "hint": .optional(hint),
    ]
    if status == .failed { object["code"] = .string(code.word) }
    if !details.isEmpty { object["details"] = .object(details) }
    return object
  }

  /// Columns before the text.
  static let margin = 9

  /// The check as lines of text.
  var lines: [String] {
    let word = status == .failed ? "FAILED " : status == .warning ? "warning" : "ok     "
    let hints = (hint ?? "").split(separator: "\n").map { "           \($0)" }
    return ["\(word)  \(name): \(message)"] + hints
  }
}
