// This folder is for what a client derives: keys, masks, secrets. It knows no message and no file.
//
// HKDF is that of RFC 5869 with SHA-256, without salt, for 32 bytes. In its context strings IDs and
// the number i of a guard (one byte, from 1 on) stand as raw bytes; | joins bytes.
//
//   Guard ID     = first 16 bytes of SHA-256(guard's Ed25519 key).
//   Ask seed     = HKDF(guard_nonce, "keybackup:v1:guard-ask:" | key ID | ":" | guard ID).
//   Account ID   = SHA-256(Ed25519 key of the ask seed).
//   PIN input x  = Argon2id(NFC(PIN), kdf_salt, kdf_memory_kib, kdf_passes, one lane), 32 bytes.
//   Output i     = guard i's OPRF (VOPRF mode) of x, 64 bytes.
//   Masked i     = share i XOR HKDF(output i, "keybackup:v1:guard-share:" | key ID | ":" | i).
//   PIN secret   = HKDF(R | x, "keybackup:v1:guarded-pin:" | key ID).
//   Masked i     = share i XOR HKDF(s i, "keybackup:v1:guard-login-share:" | key ID | ":" | i).
//   Login secret = HKDF(R | guard_nonce, "keybackup:v1:guarded-login:" | key ID).
//   Reset seed   = HKDF(secret, "keybackup:v1:guard-reset:" | key ID | ":" | guard ID).
//   Login nonce  = base64url(SHA-256("keybackup:v1:login:" | key ID | session key)).
//   Release ID   = first 16 bytes of SHA-256("keybackup:v1:guard-release:" | session key).

internal import CSPP

/// The context strings of HKDF.
enum DerivationInfo {
  /// `keybackup:v1:LABEL:`, the key ID, and for some `:` and a last part.
  static func bytes(_ label: String, _ keyID: KeyID, _ last: [UInt8]? = nil) -> [UInt8] {
    let start = Array("keybackup:v1:\(label):".utf8) + keyID.bytes
    return last.map { start + [UInt8(ascii: ":")] + $0 } ?? start
  }
}
