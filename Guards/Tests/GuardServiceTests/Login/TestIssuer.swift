import Crypto
import CryptoExtras
import FoundationEssentials
import SecretMemory
import Synchronization

@testable import GuardService

/// An issuer of ID tokens, honest or not: it signs whatever it is told to.
struct TestIssuer {
  static let name = "https://idp.example"
  static let client = "keybackup"
  static let nonce = "the nonce of this login"
  static let now: UInt64 = 1_800_000_000

  let elliptic = P256.Signing.PrivateKey()
  let rsa: _RSA.Signing.PrivateKey

  init() throws { rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048) }

  // MARK: Keys as the issuer publishes them

  /// Both keys, called `ec` and `rsa`.
  var keySet: String { Self.set([ellipticKey(), try? rsaKey()].compactMap { $0 }) }

  static func set(_ keys: [String]) -> String { #"{"keys":[\#(keys.joined(separator: ","))]}"# }

  func ellipticKey(_ more: String = #""kid":"ec","alg":"ES256","use":"sig""#) -> String {
    let point = Array(elliptic.publicKey.rawRepresentation)
    let (x, y) = (Self.text(Array(point[..<32])), Self.text(Array(point[32...])))
    return #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)",\#(more)}"#
  }

  func rsaKey(_ more: String = #""kid":"rsa","alg":"RS256","use":"sig""#) throws -> String {
    let numbers = try rsa.publicKey.getKeyPrimitives()
    let (n, e) = (Self.text(Array(numbers.modulus)), Self.text(Array(numbers.publicExponent)))
    return #"{"kty":"RSA","n":"\#(n)","e":"\#(e)",\#(more)}"#
  }

  // MARK: Tokens

  /// The claims of a login that just happened; each can be replaced, or left out with nil.
  static func claims(_ changes: [String: String?] = [:]) -> String {
    var claims: [String: String?] = [
      "iss": #""\#(name)""#, "sub": #""person 1""#, "aud": #""\#(client)""#,
      "nonce": #""\#(nonce)""#, "exp": "\(now + 300)", "iat": "\(now - 5)",
      "auth_time": "\(now - 10)",
    ]
    for (name, value) in changes { claims[name] = value }
    let members = claims.compactMap { name, value in value.map { #""\#(name)":\#($0)"# } }
    return "{\(members.sorted().joined(separator: ","))}"
  }

  /// A token of the elliptic key.
  func token(
    _ claims: String = TestIssuer.claims(), header: String = #"{"alg":"ES256","kid":"ec"}"#
  ) throws -> String {
    try Self.token(header, claims) {
      Array(try elliptic.signature(for: $0).rawRepresentation)
    }
  }

  /// A token of the RSA key.
  func rsaToken(
    _ claims: String = TestIssuer.claims(), header: String = #"{"alg":"RS256","kid":"rsa"}"#
  ) throws -> String {
    try Self.token(header, claims) {
      Array(try rsa.signature(for: $0, padding: .insecurePKCS1v1_5).rawRepresentation)
    }
  }

  static func token(
    _ header: String, _ claims: String, _ sign: (Data) throws -> [UInt8]
  ) rethrows -> String {
    let message = text(Array(header.utf8)) + "." + text(Array(claims.utf8))
    return message + "." + text(try sign(Data(message.utf8)))
  }

  static func text(_ bytes: [UInt8]) -> String { Base64.string(bytes, .url) }
}

/// A source that gives what it is told to, and counts.
final class FixedKeySets: KeySetSource {
  private let state: Mutex<(text: String?, asked: Int)>

  init(_ text: String?) { state = Mutex((text, 0)) }

  var asked: Int { state.withLock { $0.asked } }
  func replace(with text: String?) { state.withLock { $0.text = text } }

  func keySet(of issuer: LoginIssuer) async -> [UInt8]? {
    state.withLock { state in
      state.asked += 1
      return state.text.map { Array($0.utf8) }
    }
  }
}

/// A clock that a test sets.
final class SetClock: Sendable {
  private let seconds = Mutex<UInt64>(1000)
  var now: UInt64 { seconds.withLock { $0 } }
  func advance(_ step: UInt64) { seconds.withLock { $0 += step } }
}

extension IDTokenVerifier {
  /// Knows the test's issuer, by this source.
  static func knowing(_ source: FixedKeySets, clock: SetClock = SetClock()) -> IDTokenVerifier {
    let issuer = LoginIssuer(TestIssuer.name, clientIDs: [TestIssuer.client])
    return IDTokenVerifier(issuer.map { [$0] } ?? [], from: source) { clock.now }
  }

  /// Whether the token is accepted, and for whom.
  func person(
    _ token: String, nonce: String = TestIssuer.nonce, client: String = TestIssuer.client,
    now: UInt64 = TestIssuer.now
  ) async -> String? {
    try? await subject(of: token, nonce: nonce, clientID: client, now: now).subject
  }
}
