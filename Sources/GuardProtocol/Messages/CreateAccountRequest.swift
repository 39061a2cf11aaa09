public import CSPP
internal import SecretMemory

/// The body of ``GuardCall/createAccount``, signed with the new account's ask key.
public struct CreateAccountRequest: GuardMessage {
  /// The kind of an account, with its terms.
  public enum Kind: Equatable, Sendable {
    /// An OPRF key, used by this schedule.
    case pin(DelaySchedule)
    /// A share, given to who logs in.
    case login(Login)
  }

  /// The terms of a login account, and the login that shows its subject.
  public struct Login: Equatable, Sendable {
    /// The key slot, which ``LoginNonce`` contains.
    public let keyID: KeyID
    /// The client ID that an ID token must be for, 1 to 256 characters.
    public let clientID: String
    /// The delay of releases.
    public let delay: ReleaseDelay
    /// The ID token, 1 to 16,384 characters.
    public let idToken: String
    /// The X25519 key to which the answer is sealed.
    public let sessionKey: X25519Key

    /// Creates the terms.
    public init(
      keyID: KeyID, clientID: String, delay: ReleaseDelay, idToken: String, sessionKey: X25519Key
    ) {
      self.keyID = keyID
      self.clientID = clientID
      self.delay = delay
      self.idToken = idToken
      self.sessionKey = sessionKey
    }
  }

  /// The most characters of an invite.
  public static let maximumInvite = 64
  /// The most characters of an ID token.
  public static let maximumToken = 16_384

  /// The guard's invite, if it wants one.
  public let invite: String?
  /// The public half of the reset key.
  public let resetKey: SigningKey
  /// The public half of the owner key.
  public let ownerKey: SigningKey
  /// The kind of an account, with its terms.
  public let kind: Kind

  /// Creates a request.
  public init(invite: String?, resetKey: SigningKey, ownerKey: SigningKey, kind: Kind) {
    self.invite = invite
    self.resetKey = resetKey
    self.ownerKey = ownerKey
    self.kind = kind
  }

  private static let common: [StaticString] = ["invite", "reset_key", "owner_key", "kind"]
  private static let login: [StaticString] = [
    "key_id", "client_id", "delay", "id_token", "session_key",
  ]

  /// Reads a body; see ``GuardMessage/init(parsing:)``.
  public init(parsing body: RawSpan) throws(GuardProtocolError) {
    let fields = try MessageFields(body, Self.common + Self.login + ["schedule"])
    invite =
      try fields.value("invite", in: body) == nil
      ? nil : fields.text("invite", upTo: Self.maximumInvite, in: body)
    resetKey = try fields.identifier("reset_key", in: body)
    ownerKey = try fields.identifier("owner_key", in: body)
    guard resetKey.isValid else { throw MessageFields.invalid("reset_key") }
    guard ownerKey.isValid, ownerKey != resetKey else { throw MessageFields.invalid("owner_key") }
    switch try fields.text("kind", upTo: 16, in: body) {
    case "pin":
      _ = try MessageFields(body, Self.common + ["schedule"])
      let name = try fields.text("schedule", upTo: 16, in: body)
      guard let schedule = DelaySchedule(rawValue: name) else {
        throw MessageFields.invalid("schedule")
      }
      kind = .pin(schedule)
    case "login":
      _ = try MessageFields(body, Self.common + Self.login)
      let seconds = try fields.number(
        "delay", upTo: ReleaseDelay.seconds.upperBound, in: body)
      kind = .login(
        Login(
          keyID: try fields.identifier("key_id", in: body),
          clientID: try fields.text("client_id", upTo: 256, in: body),
          delay: try ReleaseDelay(seconds),
          idToken: try fields.text("id_token", upTo: Self.maximumToken, in: body),
          sessionKey: try SessionKeyField.read(fields, in: body)))
    default: throw MessageFields.invalid("kind")
    }
  }

  /// The body: JSON in UTF-8.
  public var body: [UInt8] {
    let common: [(String, String?)] = [
      ("invite", invite.map { JSONText.quoted($0) }),
      ("reset_key", MessageText.quoted(resetKey)), ("owner_key", MessageText.quoted(ownerKey)),
    ]
    switch kind {
    case .pin(let schedule):
      return MessageText.body(
        common + [("kind", "\"pin\""), ("schedule", JSONText.quoted(schedule.rawValue))])
    case .login(let login):
      return MessageText.body(
        common + [
          ("kind", "\"login\""), ("key_id", MessageText.quoted(login.keyID)),
          ("client_id", JSONText.quoted(login.clientID)), ("delay", "\(login.delay.delay)"),
          ("id_token", JSONText.quoted(login.idToken)),
          ("session_key", MessageText.quoted(login.sessionKey)),
        ])
    }
  }
}

/// The field `session_key`: an X25519 key to which something can be sealed.
enum SessionKeyField {
  static func read(_ fields: MessageFields, in body: RawSpan) throws(GuardProtocolError)
    -> X25519Key
  {
    let key: X25519Key = try fields.identifier("session_key", in: body)
    guard key.isValid else { throw MessageFields.invalid("session_key") }
    return key
  }
}
