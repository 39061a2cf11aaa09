public import CSPP
public import RistrettoVOPRF
internal import SecretMemory

/// The answer to ``GuardCall/createAccount``.
public struct CreateAccountAnswer: GuardMessage {
  /// The guard's part of an account.
  public enum Part: Equatable, Sendable {
    /// The public half of the account's OPRF key.
    case oprfKey(RistrettoElement)
    /// The account's secret, 32 bytes, sealed to the session key: 80 bytes.
    case sealed([UInt8])
  }

  /// The account.
  public let account: GuardAccountID
  /// The counter for the next request.
  public let counter: UInt64
  /// The guard's part of it.
  public let part: Part

  /// Creates an answer.
  public init(account: GuardAccountID, counter: UInt64, part: Part) {
    self.account = account
    self.counter = counter
    self.part = part
  }

  /// Reads a body; see ``GuardMessage/init(parsing:)``.
  public init(parsing body: RawSpan) throws(GuardProtocolError) {
    let fields = try MessageFields(body, ["account", "counter", "oprf_key", "sealed"])
    account = try fields.identifier("account", in: body)
    counter = try fields.number("counter", in: body)
    if try fields.value("oprf_key", in: body) != nil {
      guard try fields.value("sealed", in: body) == nil else {
        throw MessageFields.invalid("sealed")
      }
      part = .oprfKey(try fields.element("oprf_key", in: body))
    } else {
      part = .sealed(try fields.hex("sealed", count: CollectAnswer.size, in: body))
    }
  }

  /// The body: JSON in UTF-8.
  public var body: [UInt8] {
    let own: (String, String?) =
      switch part {
      case .oprfKey(let key): ("oprf_key", MessageText.quoted(key.bytes))
      case .sealed(let box): ("sealed", MessageText.quoted(box))
      }
    return MessageText.body([
      ("account", MessageText.quoted(account)), ("counter", "\(counter)"), own,
    ])
  }
}

/// The answer to ``GuardCall/evaluate``.
public struct EvaluateAnswer: GuardMessage {
  /// The counter for the next request.
  public let counter: UInt64
  /// The evaluated element.
  public let element: RistrettoElement
  /// The proof for it.
  public let proof: DLEQProof
  /// The tries that are left, at most 1,000.
  public let triesLeft: Int
  /// The earliest time of the next try, in Unix seconds; nil when none is left.
  public let notBefore: UInt64?

  /// The answer to an evaluation.
  public init(_ evaluation: PINAccount.Evaluation, of account: PINAccount) {
    counter = account.life.counter
    element = evaluation.evaluated
    proof = evaluation.proof
    triesLeft = account.limiter.triesLeft
    notBefore = account.limiter.notBefore
  }

  /// Reads a body; see ``GuardMessage/init(parsing:)``.
  public init(parsing body: RawSpan) throws(GuardProtocolError) {
    let fields = try MessageFields(
      body, ["counter", "element", "proof", "tries_left", "not_before"])
    counter = try fields.number("counter", in: body)
    element = try fields.element("element", in: body)
    let bytes = try fields.hex("proof", count: DLEQProof.size, in: body)
    do throws(VOPRFError) { proof = try DLEQProof(bytes) } catch {
      throw MessageFields.invalid("proof")
    }
    triesLeft = Int(try fields.number("tries_left", upTo: 1000, in: body))
    notBefore = try fields.optionalNumber("not_before", in: body)
  }

  /// The body: JSON in UTF-8.
  public var body: [UInt8] {
    MessageText.body([
      ("counter", "\(counter)"), ("element", MessageText.quoted(element.bytes)),
      ("proof", MessageText.quoted(proof.bytes)), ("tries_left", "\(triesLeft)"),
      ("not_before", notBefore.map { "\($0)" }),
    ])
  }
}

/// The answer to ``GuardCall/release``, and a row of ``AccountAnswer``.
public struct ReleaseAnswer: GuardMessage {
  /// The release.
  public let release: ReleaseID
  /// The time of its start, in Unix seconds.
  public let start: UInt64
  /// The first second in which it can be collected.
  public let notBefore: UInt64
  /// The first second in which it no longer can.
  public let end: UInt64

  static let names: [StaticString] = ["release_id", "start", "not_before", "end"]

  /// The answer for a release.
  public init(_ release: ShareRelease) {
    self.release = release.id
    start = release.start
    notBefore = release.notBefore
    end = release.end
  }

  /// Reads a body; see ``GuardMessage/init(parsing:)``.
  public init(parsing body: RawSpan) throws(GuardProtocolError) {
    try self.init(try MessageFields(body, Self.names), in: body)
  }

  init(_ fields: MessageFields, in body: RawSpan) throws(GuardProtocolError) {
    release = try fields.identifier("release_id", in: body)
    start = try fields.number("start", in: body)
    notBefore = try fields.number("not_before", in: body)
    end = try fields.number("end", in: body)
    guard start <= notBefore, notBefore < end else { throw MessageFields.invalid("not_before") }
  }

  var json: String {
    JSONText.object([
      ("release_id", MessageText.quoted(release)), ("start", "\(start)"),
      ("not_before", "\(notBefore)"), ("end", "\(end)"),
    ])
  }

  /// The body: JSON in UTF-8.
  public var body: [UInt8] { Array(json.utf8) }
}

/// The answer to ``GuardCall/collect``.
public struct CollectAnswer: GuardMessage {
  /// The size of a sealed share, 80 bytes.
  public static let size = 32 + SealedBox.overhead
  /// The share, sealed to the session key.
  public let sealed: [UInt8]

  /// Creates an answer.
  ///
  /// - Throws: ``GuardProtocolError/invalidParameter(_:)`` for another size than 80 bytes.
  public init(sealed: [UInt8]) throws(GuardProtocolError) {
    guard sealed.count == Self.size else { throw .invalidParameter("sealed") }
    self.sealed = sealed
  }

  /// Reads a body; see ``GuardMessage/init(parsing:)``.
  public init(parsing body: RawSpan) throws(GuardProtocolError) {
    sealed = try MessageFields(body, ["sealed"]).hex("sealed", count: Self.size, in: body)
  }

  /// The body: JSON in UTF-8.
  public var body: [UInt8] { MessageText.body([("sealed", MessageText.quoted(sealed))]) }
}
