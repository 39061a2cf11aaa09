internal import CSPP
internal import GuardProtocol

// This folder is for every call of the protocol on store, keys and clock. It knows no HTTP.

/// An answer to a call; a refusal is one too.
public struct GuardAnswer: Equatable, Sendable {
  /// HTTP's status.
  public let status: Int
  /// The body: JSON in UTF-8.
  public let body: [UInt8]
  /// The header ``GuardSignature/keyHeader`` of a signed answer.
  public let key: String?
  /// The header ``GuardSignature/signatureHeader`` of a signed answer.
  public let signature: String?
  /// The reason of a refusal for the log, one of few words; nil for an ordinary answer.
  public let reason: String?

  /// Creates an answer.
  public init(
    status: Int, body: [UInt8], key: String? = nil, signature: String? = nil,
    reason: String? = nil
  ) {
    self.status = status
    self.body = body
    self.key = key
    self.signature = signature
    self.reason = reason
  }

  init(_ message: some GuardMessage) { self.init(status: 200, body: message.body) }

  init(_ refusal: GuardRefusal) {
    let answer = RefusalAnswer(refusal)
    self.init(status: answer.status, body: answer.body, reason: answer.word)
  }

  /// The answer when the database fails: nothing was decided, or the same request finds out.
  init(_ error: GuardStoreError) {
    if error == .stopped {
      self.init(GuardRefusal.stopped)
      return
    }
    let word = "unavailable"
    self.init(
      status: 500, body: Array(JSONText.object([("error", JSONText.quoted(word))]).utf8),
      reason: word)
  }
}

/// The reasons for which a call has no ordinary answer.
enum CallFailure: Error, Equatable, Sendable {
  case refused(GuardRefusal)
  case store(GuardStoreError)
}

/// The state of a guard, for its operator.
public struct GuardState: Equatable, Sendable {
  /// Whether it waits for a person to accept its clock.
  public let isClockHalted: Bool
  /// Whether an imported account was not reset by its owner since.
  public let isRestored: Bool
  /// Whether it was exported, and answers no more.
  public let isStopped: Bool
  /// Whether the database answers, is in its place, and stored the last change.
  public let isDatabaseUp: Bool

  /// Creates a state.
  public init(isClockHalted: Bool, isRestored: Bool, isStopped: Bool, isDatabaseUp: Bool) {
    self.isClockHalted = isClockHalted
    self.isRestored = isRestored
    self.isStopped = isStopped
    self.isDatabaseUp = isDatabaseUp
  }
}
