public import CSPP
internal import GuardProtocol
public import SecretMemory

// This folder is for the server key and what is derived from it. It knows no request and no clock.
//
//   Server key   = 32 random bytes in a file, 64 digits and a line end.
//   Guard's seed = HKDF(server key, "keybackup:v1:guard-identity").
//   Sealing key  = HKDF(server key, "keybackup:v1:guard-sealing").
//   Subject key  = HKDF(server key, "keybackup:v1:guard-subjects").
//   Subject      = HMAC-SHA-256(subject key, issuer | 0x00 | subject).

/// The secret without which nobody can read the shares of a guard's database, and its keys.
public struct ServerKey: ~Copyable, Sendable {
  /// The size of a server key, 32 bytes.
  public static let size = 32

  /// The guard's Ed25519 pair.
  let identity: GuardSigner
  let sealing: SecretBytes
  private let subjects: SecretBytes

  /// Derives the keys.
  ///
  /// - Parameter key: 32 bytes.
  /// - Throws: ``ServerKeyError/invalid``.
  public init(_ key: borrowing SecretBytes) throws(ServerKeyError) {
    guard key.count == Self.size else { throw .invalid }
    do throws(GuardProtocolError) {
      identity = try GuardSigner(
        seed: HKDFSHA256.deriveKey(ikm: key, info: "keybackup:v1:guard-identity"))
    } catch {
      throw .invalid
    }
    sealing = HKDFSHA256.deriveKey(ikm: key, info: "keybackup:v1:guard-sealing")
    subjects = HKDFSHA256.deriveKey(ikm: key, info: "keybackup:v1:guard-subjects")
  }

  /// The guard's ID.
  public var guardID: GuardID { GuardID(of: identity.publicKey) }

  /// The code that stands for a subject in the database, 32 bytes.
  ///
  /// An issuer is a URL, so it has no zero byte.
  func subject(issuer: String, subject: String) -> [UInt8] {
    let code = HMACSHA256.code(
      for: Array(issuer.utf8) + [0] + Array(subject.utf8), key: subjects)
    return unsafe code.withUnsafeBytes { unsafe Array($0) }
  }
}

/// The errors of the server key's file.
public enum ServerKeyError: Error, Equatable, Sendable {
  /// The file cannot be read or written: the code of `errno`, and the path.
  case file(Int32, String)
  /// Others than its user can read or change the file.
  case open(String)
  /// The file is not 64 digits and a line end.
  case invalid
}
