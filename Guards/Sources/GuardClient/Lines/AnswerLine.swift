internal import CSPP

/// One line to the parent.
struct AnswerLine: Sendable {
  /// The bytes with the line end, about 128 KiB at most.
  let bytes: [UInt8]

  private init(_ id: UInt64, _ name: String, _ value: String) {
    bytes = Array(JSONText.object([("id", "\(id)"), (name, value)]).utf8) + [0x0A]
  }

  /// A guard's answer.
  static func answer(
    _ id: UInt64, status: Int, body: String, key: String?, signature: String?
  ) -> AnswerLine {
    AnswerLine(
      id, "answer",
      JSONText.object([
        ("status", "\(status)"), ("body", JSONText.quoted(body)),
        ("key", key.map(JSONText.quoted)), ("signature", signature.map(JSONText.quoted)),
      ]))
  }

  /// The address that the person opens in a browser.
  static func authorize(_ id: UInt64, url: String) -> AnswerLine {
    AnswerLine(id, "authorize", JSONText.object([("url", JSONText.quoted(url))]))
  }

  /// The ID token of a login.
  static func token(_ id: UInt64, _ token: String) -> AnswerLine {
    AnswerLine(id, "id_token", JSONText.quoted(token))
  }

  /// The end of a request or login without an answer.
  static func failure(_ id: UInt64, _ failure: AskFailure) -> AnswerLine {
    AnswerLine(
      id, "failure",
      JSONText.object([
        ("reason", JSONText.quoted(failure.reason.rawValue)),
        ("detail", JSONText.quoted(failure.detail)),
      ]))
  }
}
