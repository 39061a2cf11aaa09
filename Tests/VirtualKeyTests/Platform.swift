import FoundationEssentials
import Testing

@testable import VirtualKey

/// The platform's side of PIN/UV auth: the steps of a program to use a PIN.
///
/// It only gets messages through. The second opinions on the cryptography are libfido2 and
/// python-fido2, which the interop tests run.
struct Platform {
  let host: Host
  let number: Int
  let publicKey: CBOR
  let secret: SharedPINSecret

  /// Agrees on a secret with the key.
  init(_ host: Host, protocolNumber number: Int = 2) throws {
    self.host = host
    self.number = number
    let answer = try host.succeed(
      .clientPIN, .fields([(1, .integer(number)), (2, .integer(2))]))
    var own = PINProtocol(number: number)
    publicKey = own.publicKey
    secret = try own.sharedSecret(with: try #require(answer[1]))
  }

  private func call(_ subcommand: PINSubcommand, _ fields: [(Int, CBOR?)]) throws -> Host.Response {
    try host.call(
      .clientPIN,
      .fields(
        [
          (1, .integer(number)), (2, .integer(subcommand.rawValue)), (3, publicKey),
        ] + fields))
  }

  private func padded(_ pin: String) -> [UInt8] {
    Array(pin.utf8) + [UInt8](repeating: 0, count: 64 - pin.utf8.count)
  }

  private func authenticate(_ message: [UInt8]) -> CBOR {
    .bytes(PINProtocol.authenticate(number, key: secret.authenticationKey, message))
  }

  func setPIN(_ pin: String) throws -> CTAPStatus? {
    let sealed = try secret.encrypt(padded(pin))
    let fields: [(Int, CBOR?)] = [(4, authenticate(sealed)), (5, .bytes(sealed))]
    return CTAPStatus(rawValue: try call(.setPIN, fields).status)
  }

  func changePIN(_ old: String, to new: String) throws -> CTAPStatus? {
    let sealed = try secret.encrypt(padded(new))
    let hash = try secret.encrypt(KeyState.hash(Array(old.utf8)))
    let fields: [(Int, CBOR?)] = [
      (4, authenticate(sealed + hash)), (5, .bytes(sealed)), (6, .bytes(hash)),
    ]
    return CTAPStatus(rawValue: try call(.changePIN, fields).status)
  }

  /// The status of an attempt with this PIN, and the token if the PIN was right.
  func token(
    _ pin: String, _ permissions: PINToken.Permissions? = nil, rpID: String? = nil
  ) throws -> (status: CTAPStatus?, token: Token?) {
    let hash = try secret.encrypt(KeyState.hash(Array(pin.utf8)))
    let response = try call(
      permissions == nil ? .getPINToken : .getTokenUsingPIN,
      [
        (6, .bytes(hash)), (9, permissions.map { .integer($0.rawValue) }),
        (10, rpID.map(CBOR.text)),
      ])
    let sealed = response.value?[2]?.bytes
    let token = try sealed.map { Token(number: number, value: try secret.decrypt($0)) }
    return (CTAPStatus(rawValue: response.status), token)
  }

  /// A token from a PIN that must be right.
  func rightToken(
    _ pin: String, _ permissions: PINToken.Permissions? = nil, rpID: String? = nil
  ) throws -> Token {
    let (status, token) = try token(pin, permissions, rpID: rpID)
    #expect(status == .success)
    return try #require(token)
  }

  struct Token {
    let number: Int
    let value: [UInt8]

    func authenticate(_ message: [UInt8]) -> CBOR {
      .bytes(PINProtocol.authenticate(number, key: value, message))
    }
  }

  /// The hmac-secret extension input for these salts.
  func extensionInput(_ salts: [UInt8]) throws -> CBOR {
    let sealed = try secret.encrypt(salts)
    return .fields([
      (1, publicKey), (2, .bytes(sealed)), (3, authenticate(sealed)), (4, .integer(number)),
    ])
  }
}

/// Requests as programs make them.
enum Request {
  static let clientDataHash = [UInt8](repeating: 7, count: 32)

  static func credential(
    rpID: String = "example.com", user: [UInt8] = [1, 2, 3], name: String = "alice",
    discoverable: Bool = false, exclude: [[UInt8]] = [], protection: Int? = nil,
    hmacSecret: Bool = true, token: Platform.Token? = nil
  ) -> CBOR {
    .fields([
      (1, .bytes(clientDataHash)),
      (2, .named([("id", .text(rpID))])),
      (3, .named([("id", .bytes(user)), ("name", .text(name))])),
      (4, .array([.named([("alg", .integer(-7)), ("type", .text("public-key"))])])),
      (5, exclude.isEmpty ? nil : list(exclude)),
      (
        6,
        .named([
          ("hmac-secret", hmacSecret ? .boolean(true) : nil),
          ("credProtect", protection.map(CBOR.integer)),
        ])
      ),
      (7, discoverable ? .named([("rk", .boolean(true))]) : nil),
      (8, token?.authenticate(clientDataHash)),
      (9, token.map { .integer($0.number) }),
    ])
  }

  static func assertion(
    rpID: String = "example.com", allow: [[UInt8]] = [], presence: Bool = true,
    secret: CBOR? = nil, token: Platform.Token? = nil
  ) -> CBOR {
    .fields([
      (1, .text(rpID)),
      (2, .bytes(clientDataHash)),
      (3, allow.isEmpty ? nil : list(allow)),
      (4, secret.map { .named([("hmac-secret", $0)]) }),
      (5, presence ? nil : .named([("up", .boolean(false))])),
      (6, token?.authenticate(clientDataHash)),
      (7, token.map { .integer($0.number) }),
    ])
  }

  static func list(_ ids: [[UInt8]]) -> CBOR {
    .array(ids.map { .named([("id", .bytes($0)), ("type", .text("public-key"))]) })
  }
}

/// The content of authenticator data.
struct AuthenticatorData {
  let flags: AuthenticatorDataFlags
  let counter: UInt32
  let credentialID: [UInt8]
  let extensions: CBOR?

  init(_ response: CBOR) throws {
    let bytes = try #require(response[2]?.bytes)
    flags = AuthenticatorDataFlags(rawValue: bytes[32])
    counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    var rest = Array(bytes[37...])
    if flags.contains(.attestedCredential) {
      let length = Int(rest[16]) << 8 | Int(rest[17])
      credentialID = Array(rest[18..<18 + length])
      // A COSE ES256 key is always 77 bytes long.
      rest.removeFirst(18 + length + 77)
    } else {
      credentialID = []
    }
    extensions = rest.isEmpty ? nil : try CBOR(decoding: rest)
    #expect(flags.contains(.extensions) == (extensions != nil))
  }
}
