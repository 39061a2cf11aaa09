public import CSPP
public import RistrettoVOPRF

/// The body of ``GuardCall/status`` and ``GuardCall/retire``.
public struct AccountRequest: GuardMessage {
  /// The account.
  public let account: GuardAccountID

  /// Creates a request.
  public init(account: GuardAccountID) { self.account = account }

  /// Reads a body; see ``GuardMessage/init(parsing:)``.
  public init(parsing body: RawSpan) throws(GuardProtocolError) {
    account = try MessageFields(body, ["account"]).identifier("account", in: body)
  }

  /// The body: JSON in UTF-8.
  public var body: [UInt8] { MessageText.body([("account", MessageText.quoted(account))]) }
}

/// The body of ``GuardCall/confirm`` and ``GuardCall/reset``.
public struct CounterRequest: GuardMessage {
  /// The account.
  public let account: GuardAccountID
  /// The account's counter, from the guard's last answer.
  public let counter: UInt64

  /// Creates a request.
  public init(account: GuardAccountID, counter: UInt64) {
    self.account = account
    self.counter = counter
  }

  /// Reads a body; see ``GuardMessage/init(parsing:)``.
  public init(parsing body: RawSpan) throws(GuardProtocolError) {
    let fields = try MessageFields(body, ["account", "counter"])
    account = try fields.identifier("account", in: body)
    counter = try fields.number("counter", in: body)
  }

  /// The body: JSON in UTF-8.
  public var body: [UInt8] {
    MessageText.body([("account", MessageText.quoted(account)), ("counter", "\(counter)")])
  }
}

/// The body of ``GuardCall/evaluate``.
public struct EvaluateRequest: GuardMessage {
  /// The account.
  public let account: GuardAccountID
  /// The account's counter, from the guard's last answer.
  public let counter: UInt64
  /// The blinded element.
  public let element: RistrettoElement

  /// Creates a request.
  public init(account: GuardAccountID, counter: UInt64, element: RistrettoElement) {
    self.account = account
    self.counter = counter
    self.element = element
  }

  /// Reads a body; see ``GuardMessage/init(parsing:)``.
  public init(parsing body: RawSpan) throws(GuardProtocolError) {
    let fields = try MessageFields(body, ["account", "counter", "element"])
    account = try fields.identifier("account", in: body)
    counter = try fields.number("counter", in: body)
    element = try fields.element("element", in: body)
  }

  /// The body: JSON in UTF-8.
  public var body: [UInt8] {
    MessageText.body([
      ("account", MessageText.quoted(account)), ("counter", "\(counter)"),
      ("element", MessageText.quoted(element.bytes)),
    ])
  }
}

/// The body of ``GuardCall/release``.
public struct ReleaseRequest: GuardMessage {
  /// The account.
  public let account: GuardAccountID
  /// The ID token of a login for this session key, 1 to 16,384 characters.
  public let idToken: String
  /// The X25519 key to which the share is to be sealed.
  public let sessionKey: X25519Key

  /// Creates a request.
  public init(account: GuardAccountID, idToken: String, sessionKey: X25519Key) {
    self.account = account
    self.idToken = idToken
    self.sessionKey = sessionKey
  }

  /// Reads a body; see ``GuardMessage/init(parsing:)``.
  public init(parsing body: RawSpan) throws(GuardProtocolError) {
    let fields = try MessageFields(body, ["account", "id_token", "session_key"])
    account = try fields.identifier("account", in: body)
    idToken = try fields.text("id_token", upTo: CreateAccountRequest.maximumToken, in: body)
    sessionKey = try SessionKeyField.read(fields, in: body)
  }

  /// The body: JSON in UTF-8.
  public var body: [UInt8] {
    MessageText.body([
      ("account", MessageText.quoted(account)), ("id_token", JSONText.quoted(idToken)),
      ("session_key", MessageText.quoted(sessionKey)),
    ])
  }
}

/// The body of ``GuardCall/collect``.
public struct CollectRequest: GuardMessage {
  /// The account.
  public let account: GuardAccountID
  /// The X25519 key of the release.
  public let sessionKey: X25519Key

  /// Creates a request.
  public init(account: GuardAccountID, sessionKey: X25519Key) {
    self.account = account
    self.sessionKey = sessionKey
  }

  /// Reads a body; see ``GuardMessage/init(parsing:)``.
  public init(parsing body: RawSpan) throws(GuardProtocolError) {
    let fields = try MessageFields(body, ["account", "session_key"])
    account = try fields.identifier("account", in: body)
    sessionKey = try SessionKeyField.read(fields, in: body)
  }

  /// The body: JSON in UTF-8.
  public var body: [UInt8] {
    MessageText.body([
      ("account", MessageText.quoted(account)), ("session_key", MessageText.quoted(sessionKey)),
    ])
  }
}

/// The body of ``GuardCall/veto``.
public struct VetoRequest: GuardMessage {
  /// The account.
  public let account: GuardAccountID
  /// The release.
  public let release: ReleaseID

  /// Creates a request.
  public init(account: GuardAccountID, release: ReleaseID) {
    self.account = account
    self.release = release
  }

  /// Reads a body; see ``GuardMessage/init(parsing:)``.
  public init(parsing body: RawSpan) throws(GuardProtocolError) {
    let fields = try MessageFields(body, ["account", "release_id"])
    account = try fields.identifier("account", in: body)
    release = try fields.identifier("release_id", in: body)
  }

  /// The body: JSON in UTF-8.
  public var body: [UInt8] {
    MessageText.body([
      ("account", MessageText.quoted(account)), ("release_id", MessageText.quoted(release)),
    ])
  }
}
