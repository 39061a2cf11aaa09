internal import BlindedCurve
internal import CSecp256k1
internal import SecretMemory

/// The key of a backup account, on secp256k1.
///
/// It proves to World's server that somebody has the root secret.
package struct WorldAccountKey: ~Copyable {
  /// The beginning of every backup account's ID.
  package static let idPrefix = "backup_account_"

  private let secret: SecretBytes
  /// The backup account's ID: `backup_account_` and the compressed public key in hexadecimal.
  package let id: String

  /// - Parameter secret: 32 bytes, big-endian.
  /// - Throws: ``ForeignBackupError/damaged(part:)`` for bytes that are no secret key.
  init(_ secret: consuming SecretBytes) throws(ForeignBackupError) {
    var point = secp256k1_pubkey()
    var compressed = [UInt8](repeating: 0, count: 33)
    var size = compressed.count
    let isKey = unsafe secret.withUnsafeBytes { secret in
      unsafe secret.count == 32
        && secp256k1_ec_pubkey_create(
          BlindedCurve.context, &point,
          secret.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)) == 1
        && secp256k1_ec_pubkey_serialize(
          BlindedCurve.context, &compressed, &size, &point, UInt32(SECP256K1_EC_COMPRESSED)) == 1
    }
    guard isKey else { throw .damaged(part: "the root secret") }
    self.secret = secret
    id = Self.idPrefix + Hex.string(compressed)
  }

  /// Signs a challenge: ECDSA of its SHA-256, deterministic (RFC 6979), with the lower `s`.
  ///
  /// - Parameter challenge: the server's bytes.
  /// - Returns: the signature in DER, up to 72 bytes.
  package func sign(_ challenge: [UInt8]) -> [UInt8] {
    let digest = SHA256.hash(challenge)
    var signature = secp256k1_ecdsa_signature()
    var encoded = [UInt8](repeating: 0, count: 72)
    var size = encoded.count
    let isSigned = unsafe secret.withUnsafeBytes { secret in
      unsafe secp256k1_ecdsa_sign(
        BlindedCurve.context, &signature, digest,
        secret.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self), nil, nil) == 1
        && secp256k1_ecdsa_signature_serialize_der(
          BlindedCurve.context, &encoded, &size, &signature) == 1
    }
    // It fails for an invalid key or nonce function only, and the key was checked.
    precondition(isSigned, "a valid key signs")
    return Array(encoded.prefix(size))
  }
}
