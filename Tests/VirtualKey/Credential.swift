import FoundationEssentials
import OpenSSLCrypto

/// A credential, which makeCredential creates and getAssertion uses.
struct Credential: Codable, Sendable, Equatable {
  var id: [UInt8]
  var rpID: String
  var rpName: String?
  var userID: [UInt8]
  var userName: String?
  var userDisplayName: String?
  /// The P-256 scalar, 32 bytes.
  var privateKey: [UInt8]
  /// The hmac-secret keys, 32 bytes each; nil for a credential without the extension.
  var credRandomWithUV: [UInt8]?
  var credRandomWithoutUV: [UInt8]?
  /// The credProtect level 1 to 3; 0 if it was never requested.
  var protection: Int

  var rpIDHash: [UInt8] { OpenSSL.sha256(Array(rpID.utf8)) }

  var signingKey: P256Key? { P256Key(scalar: privateKey) }

  /// The public key of an arbitrary credential.
  static let someKey = Credential(
    id: [], rpID: "", userID: [],
    privateKey: P256Key().scalar, protection: 0
  ).publicKey

  /// The public key as COSE (ES256).
  var publicKey: CBOR? {
    guard let key = signingKey else { return nil }
    return .fields([
      (1, .integer(2)), (3, .integer(-7)), (-1, .integer(1)), (-2, .bytes(key.x)),
      (-3, .bytes(key.y)),
    ])
  }
}

/// The part of a credential ID with which the key recognises and rebuilds a non-discoverable
/// credential without storing it.
///
/// It consists of flags (1 byte), protection (1), nonce (32), tag (32).
struct CredentialSeed {
  static let length = 66

  let rootKey: [UInt8]

  /// Creates a credential ID bound to the relying party.
  func makeID(rpIDHash: [UInt8], discoverable: Bool, hmacSecret: Bool, protection: Int) -> [UInt8] {
    let flags: UInt8 = (discoverable ? 1 : 0) | (hmacSecret ? 2 : 0)
    let body = [flags, UInt8(protection)] + .random(32)
    return body + code("credential id", body + rpIDHash)
  }

  /// Whether this key created `id` for the relying party as a non-discoverable credential.
  func owns(_ id: [UInt8], rpIDHash: [UInt8]) -> Bool {
    guard id.count == Self.length, id[0] & 1 == 0 else { return false }
    return code("credential id", Array(id.prefix(34)) + rpIDHash) == Array(id.suffix(32))
  }

  /// The credential of an ID of this key.
  ///
  /// The relying party and the user are not included: nothing requests them again.
  func credential(id: [UInt8], rpID: String) -> Credential {
    let withSecret = id[1 - 1] & 2 != 0
    return Credential(
      id: id, rpID: rpID, userID: [], privateKey: privateKey(id),
      credRandomWithUV: withSecret ? code("with uv", id) : nil,
      credRandomWithoutUV: withSecret ? code("without uv", id) : nil,
      protection: Int(id[1]))
  }

  /// Derives the key; the counter skips the few 32-byte strings that are not P-256 scalars.
  private func privateKey(_ id: [UInt8]) -> [UInt8] {
    for counter in UInt8.min ... .max {
      let candidate = code("private key", [counter] + id)
      if P256Key(scalar: candidate) != nil { return candidate }
    }
    return []
  }

  private func code(_ label: String, _ data: [UInt8]) -> [UInt8] {
    OpenSSL.hmac(Array(label.utf8) + [0] + data, key: rootKey)
  }
}

/// A credential described in a file, to be imported into a key.
public struct ImportedCredential: Sendable, Decodable {
  /// The relying party ID.
  public let rpID: String
  /// The hmac-secret key for requests with user verification, 32 bytes.
  public let credRandomWithUV: [UInt8]
  /// The hmac-secret key for requests without user verification; derived from the other one if the
  /// file has none.
  public let credRandomWithoutUV: [UInt8]
  /// The credential's ID; derived from the secret if the file has none.
  public let credentialID: [UInt8]
  /// The user handle, at most 64 bytes.
  public let userID: [UInt8]
  /// The user's name for display.
  public let userName: String
  /// The credProtect level 1 to 3; 0 if it was never requested.
  public let protection: Int

  private enum CodingKeys: String, CodingKey {
    case rpID = "rp_id"
    case credRandomWithUV = "cred_random_with_uv"
    case credRandomWithoutUV = "cred_random_without_uv"
    case credentialID = "credential_id"
    case userID = "user_id"
    case userName = "user_name"
    case protection
  }

  /// Parses RPID/CREDRANDOM or RPID/CREDRANDOM/PROTECTION; nil for any other text.
  ///
  /// The second part has 64 hexadecimal digits for requests with user verification.
  init?(setting: String) {
    let parts = setting.split(separator: "/", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let secret = [UInt8](hexadecimal: parts[1]),
      secret.count == 32, let protection = parts.count > 2 ? Int(parts[2]) : 0,
      (0...3).contains(protection)
    else { return nil }
    rpID = String(parts[0])
    credRandomWithUV = secret
    credRandomWithoutUV = Self.derived("imported, without uv", secret)
    credentialID = Self.derived("imported, credential id", secret)
    userID = Array(Self.derived("imported, user id", secret).prefix(16))
    userName = "imported"
    self.protection = protection
  }

  private static func derived(_ label: String, _ secret: [UInt8]) -> [UInt8] {
    OpenSSL.sha256(Array(label.utf8) + secret)
  }

  /// Parses the description; bytes are hexadecimal strings, other fields are ignored.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func bytes(_ key: CodingKeys) throws -> [UInt8]? {
      guard let text = try container.decodeIfPresent(String.self, forKey: key) else { return nil }
      guard let bytes = [UInt8](hexadecimal: text) else {
        throw VirtualKeyError.badCredential(key.rawValue)
      }
      return bytes
    }
    rpID = try container.decode(String.self, forKey: .rpID)
    guard let secret = try bytes(.credRandomWithUV), secret.count == 32 else {
      throw VirtualKeyError.badCredential(CodingKeys.credRandomWithUV.rawValue)
    }
    credRandomWithUV = secret
    credRandomWithoutUV =
      try bytes(.credRandomWithoutUV) ?? Self.derived("imported, without uv", secret)
    credentialID = try bytes(.credentialID) ?? Self.derived("imported, credential id", secret)
    userID = try bytes(.userID) ?? Array(Self.derived("imported, user id", secret).prefix(16))
    userName = try container.decodeIfPresent(String.self, forKey: .userName) ?? "imported"
    protection = try container.decodeIfPresent(Int.self, forKey: .protection) ?? 0
  }

  /// Reads the description in the file at `path` (JSON).
  ///
  /// - Throws: `VirtualKeyError.badCredential` if the file is not a description.
  public init(path: String) throws(VirtualKeyError) {
    do {
      let data = try Data(contentsOf: URL(filePath: path))
      self = try JSONDecoder().decode(ImportedCredential.self, from: data)
    } catch {
      throw .badCredential(path)
    }
  }
}

extension Credential {
  init(_ imported: ImportedCredential) {
    self.init(
      id: imported.credentialID, rpID: imported.rpID, userID: imported.userID,
      userName: imported.userName, userDisplayName: imported.userName,
      privateKey: P256Key().scalar,
      credRandomWithUV: imported.credRandomWithUV,
      credRandomWithoutUV: imported.credRandomWithoutUV, protection: imported.protection)
  }
}
