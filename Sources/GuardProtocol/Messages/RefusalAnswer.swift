internal import CSPP

/// The answer of a guard that refuses, with HTTP's status.
public struct RefusalAnswer: GuardMessage {
  /// The reason.
  public let refusal: GuardRefusal

  /// Creates an answer.
  public init(_ refusal: GuardRefusal) { self.refusal = refusal }

  /// HTTP's status.
  public var status: Int {
    switch refusal {
    case .unauthorised: 401
    case .unknown: 404
    case .counter, .unconfirmed: 409
    case .disabled: 410
    case .malformed: 422
    case .tooEarly, .usedUp, .tooMany: 429
    case .clock, .stopped: 503
    }
  }

  /// The reason's word in the body, without a counter or a time.
  public var word: String {
    switch refusal {
    case .unauthorised: "unauthorised"
    case .unknown: "unknown"
    case .counter: "counter"
    case .unconfirmed: "unconfirmed"
    case .disabled: "disabled"
    case .malformed: "malformed"
    case .tooEarly: "too_early"
    case .usedUp: "used_up"
    case .tooMany: "too_many"
    case .clock: "clock"
    case .stopped: "stopped"
    }
  }

  private static let plain: [GuardRefusal] = [
    .unauthorised, .unknown, .unconfirmed, .disabled, .malformed, .usedUp, .tooMany, .clock,
    .stopped,
  ]

  /// Reads a body; see ``GuardMessage/init(parsing:)``.
  public init(parsing body: RawSpan) throws(GuardProtocolError) {
    let fields = try MessageFields(body, ["error", "counter", "not_before"])
    switch try fields.text("error", upTo: 32, in: body) {
    case "counter":
      _ = try MessageFields(body, ["error", "counter"])
      refusal = .counter(try fields.number("counter", in: body))
    case "too_early":
      _ = try MessageFields(body, ["error", "not_before"])
      refusal = .tooEarly(notBefore: try fields.number("not_before", in: body))
    case let word:
      _ = try MessageFields(body, ["error"])
      guard let refusal = Self.plain.first(where: { RefusalAnswer($0).word == word }) else {
        throw MessageFields.invalid("error")
      }
      self.refusal = refusal
    }
  }

  /// The body: JSON in UTF-8.
  public var body: [UInt8] {
    var own: (String, String?) = ("counter", nil)
    if case .counter(let counter) = refusal { own = ("counter", "\(counter)") }
    if case .tooEarly(let time) = refusal { own = ("not_before", "\(time)") }
    return MessageText.body([("error", JSONText.quoted(word)), own])
  }
}
