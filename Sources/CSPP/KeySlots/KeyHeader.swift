internal import SecretMemory

/// The header of a file of `keys/`, which describes a key slot.
///
/// It is a plain claim until the slot's secret has opened the file; that authenticates it.
public struct KeyHeader: Equatable, Sendable {
  /// The parameters with which a security key gives the slot's secret again.
  public struct SecurityKey: Equatable, Sendable {
    /// The credential's relying party ID.
    public var rpID: String
    /// The credential ID.
    public var credentialID: [UInt8]
    /// Whether the credential occupies a slot of the authenticator.
    public var discoverable: Bool
    /// The authenticator's model, 16 bytes.
    public var aaguid: [UInt8]
    /// The WebAuthn PRF input, 32 random bytes.
    public var prfSalt: [UInt8]

    /// Creates a description of a credential.
    public init(
      rpID: String, credentialID: [UInt8], discoverable: Bool, aaguid: [UInt8], prfSalt: [UInt8]
    ) {
      self.rpID = rpID
      self.credentialID = credentialID
      self.discoverable = discoverable
      self.aaguid = aaguid
      self.prfSalt = prfSalt
    }
  }

  /// The source of the slot's secret.
  public enum Kind: Equatable, Sendable {
    /// A FIDO2 credential's PRF output, always with user verification.
    case securityKey(SecurityKey)
    /// A recovery code, with a second secret or without one.
    case recoveryCode(CodeDerivation)
    /// A PIN, with guards that let it be tried seldom.
    case guardedPIN(GuardedPIN)
    /// A login, with guards that check it.
    case guardedLogin(GuardedLogin)
    /// A kind that this program does not know, listed and skipped; the text is its name.
    case unknown(String)
  }

  /// The size of the `guard_nonce` of a kind that needs guards, in bytes.
  public static let guardNonceSize = 32

  /// The namespace whose master key the file holds.
  public var namespaceID: NamespaceID
  /// The key slot.
  public var keyID: KeyID
  /// The source of its secret.
  public var kind: Kind
  /// The name that the user gave it at enrolment.
  public var label: String
  /// The time of creation, in Unix seconds.
  public var createdAt: UInt64
  /// The key slot that it replaces once it has been proved; `nil` for a slot beside the others.
  public var replaces: KeyID?

  /// Creates a header for a key slot.
  public init(
    namespaceID: NamespaceID, keyID: KeyID, kind: Kind, label: String, createdAt: UInt64,
    replaces: KeyID? = nil
  ) {
    self.namespaceID = namespaceID
    self.keyID = keyID
    self.kind = kind
    self.label = label
    self.createdAt = createdAt
    self.replaces = replaces
  }

  /// Whether the slot's secret comes from guards: then it never counts as a way in of its own.
  public var isGuarded: Bool { kind.isGuarded }

  /// Parses a header.
  ///
  /// - Returns: the header and the recipient's X25519 public key, 32 bytes.
  static func parse(_ json: [UInt8]) throws(CSPPError) -> (KeyHeader, recipient: [UInt8]) {
    let text = unsafe json.span.bytes
    let object = try JSONObject(parsing: text, duplicates: .refused)
    let kind = try object.required("kind", in: text).text("kind", in: text)
    let header = KeyHeader(
      namespaceID: try object.required("namespace_id", in: text)
        .identifier("namespace_id", in: text),
      keyID: try object.required("key_id", in: text).identifier("key_id", in: text),
      kind: try Kind.parse(kind, object, in: text),
      label: try object.required("label", in: text).text("label", in: text),
      createdAt: try object.required("created_at", in: text).integer("created_at", in: text),
      replaces: try object.optional("replaces", in: text)
        .map { (value) throws(CSPPError) in try value.identifier("replaces", in: text) })
    let recipient = try object.required("recipient", in: text)
      .hex("recipient", in: text, count: 32)
    return (header, recipient)
  }

  /// The header's JSON.
  func json(recipient: [UInt8]) throws(CSPPError) -> String {
    let (name, own) = try kind.members
    let common = [
      ("namespace_id", JSONText.quoted(namespaceID.hex)),
      ("key_id", JSONText.quoted(keyID.hex)),
      ("kind", JSONText.quoted(name)),
      ("label", JSONText.quoted(label)),
      ("created_at", String(createdAt)),
      ("recipient", JSONText.quoted(Hex.string(recipient))),
    ]
    let link = replaces.map { [("replaces", JSONText.quoted($0.hex))] } ?? []
    return JSONText.object(common + link + own)
  }
}

extension KeyHeader.Kind {
  /// Whether the secret comes from guards.
  public var isGuarded: Bool {
    switch self {
    case .guardedPIN, .guardedLogin: true
    case .securityKey, .recoveryCode, .unknown: false
    }
  }

  private static let securityKeyName = "security_key"
  private static let recoveryCodeName = "recovery_code"
  private static let guardedPINName = "guarded_pin"
  private static let guardedLoginName = "guarded_login"

  fileprivate static func parse(
    _ name: String, _ object: JSONObject, in text: RawSpan
  ) throws(CSPPError) -> KeyHeader.Kind {
    switch name {
    case securityKeyName:
      return .securityKey(try KeyHeader.SecurityKey(object, in: text))
    case recoveryCodeName:
      guard let derivation = try KeyHeader.CodeDerivation.parse(object, in: text) else {
        return .unknown(name)
      }
      return .recoveryCode(derivation)
    case guardedPINName:
      let way = try KeyHeader.GuardedPIN.parse(object, in: text)
      return way.map { .guardedPIN($0) } ?? .unknown(name)
    case guardedLoginName: return .guardedLogin(try KeyHeader.GuardedLogin(object, in: text))
    default: return .unknown(name)
    }
  }

  /// The kind's name and the fields specific to it.
  fileprivate var members: (name: String, own: [(String, String)]) {
    get throws(CSPPError) {
      switch self {
      case .securityKey(let key): (Self.securityKeyName, try key.members)
      case .recoveryCode(let derivation): (Self.recoveryCodeName, try derivation.members)
      case .guardedPIN(let way): (Self.guardedPINName, way.members)
      case .guardedLogin(let way): (Self.guardedLoginName, way.members)
      case .unknown: throw .invalidField("kind")
      }
    }
  }
}

extension KeyHeader.SecurityKey {
  fileprivate init(_ object: JSONObject, in text: RawSpan) throws(CSPPError) {
    rpID = try object.required("rp_id", in: text).text("rp_id", in: text)
    credentialID = try object.required("credential_id", in: text)
      .base64("credential_id", in: text, .url)
    discoverable = try object.required("discoverable", in: text).bool("discoverable")
    let hyphenated = try object.required("aaguid", in: text).text("aaguid", in: text)
    guard let aaguid = AAGUIDText.bytes(hyphenated) else { throw .invalidField("aaguid") }
    self.aaguid = aaguid
    prfSalt = try object.required("prf_salt", in: text).hex("prf_salt", in: text, count: 32)
    // A request without user verification gives a different secret.
    guard try object.required("user_verification", in: text).bool("user_verification") else {
      throw .invalidField("user_verification")
    }
    guard !credentialID.isEmpty else { throw .invalidField("credential_id") }
  }

  fileprivate var members: [(String, String)] {
    get throws(CSPPError) {
      guard aaguid.count == 16 else { throw .invalidField("aaguid") }
      guard prfSalt.count == 32 else { throw .invalidField("prf_salt") }
      return [
        ("rp_id", JSONText.quoted(rpID)),
        ("credential_id", JSONText.quoted(Base64.string(credentialID, .url))),
        ("discoverable", discoverable ? "true" : "false"),
        ("aaguid", JSONText.quoted(AAGUIDText.string(aaguid))),
        ("prf_salt", JSONText.quoted(Hex.string(prfSalt))),
        ("user_verification", "true"),
      ]
    }
  }
}

/// Converts an authenticator's model to text: 8-4-4-4-12 lower-case digits.
enum AAGUIDText {
  static func string(_ bytes: [UInt8]) -> String {
    let digits = Array(Hex.string(bytes).utf8)
    let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
    return parts.map { String(decoding: digits[$0], as: UTF8.self) }.joined(separator: "-")
  }

  static func bytes(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8.filter { $0 != UInt8(ascii: "-") })
    guard let bytes = unsafe Hex.decode(digits.span.bytes), bytes.count == 16,
      string(bytes) == text
    else { return nil }
    return bytes
  }
}
