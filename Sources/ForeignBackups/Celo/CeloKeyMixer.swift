internal import SecretMemory

/// The key derivation by which Celo's encrypted backup mixes secrets.
///
/// It hardens nothing. PBKDF2-HMAC-SHA256 with one round and no salt, over the hashes of a name and
/// of every source in order: that is one HMAC-SHA256 of 00000001.
struct CeloKeyMixer: ~Copyable {
  /// The names that keep the uses apart; those of the two hardening functions are their salts.
  enum Info: String, Sendable {
    case password = "Celo Backup Password and Nonce"
    case fuseKey = "Celo Backup Fuse Key"
    case odisAuthorizationKey = "Celo Backup ODIS Request Authorization Key"
    case odisHardening = "Celo Backup ODIS Key Hardening"
    case pbkdf2 = "Celo Backup PBKDF Hardening"
    case scrypt = "Celo Backup scrypt Hardening"
    case finalization = "Celo Backup Key Finalization"

    /// The name's bytes.
    var bytes: [UInt8] { Array(rawValue.utf8) }
  }

  private var hashes = SecretWriter(capacity: 4 * SHA256.digestSize)

  /// Starts with the name of the use.
  init(_ info: Info) { add(info.bytes) }

  /// Adds a secret source.
  mutating func add(_ source: borrowing SecretBytes) {
    let hash = source.withBytes { SHA256.secretHash($0) }
    hash.withBytes { hashes.raw($0) }
  }

  /// Adds a source that is no secret.
  mutating func add(_ source: [UInt8]) {
    let hash = SHA256.hash(source)
    unsafe hashes.raw(hash.span.bytes)
  }

  /// The key, 32 bytes; consumes the value.
  consuming func key() -> SecretBytes {
    let password = hashes.finish()
    return HMACSHA256.code(for: [0, 0, 0, 1], key: password)
  }
}
