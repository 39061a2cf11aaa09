internal import BlindedCurve
internal import CSecp256k1
internal import SecretMemory

/// The key that signs requests to ODIS.
///
/// It comes from the nonce, which the file has unencrypted: it is as secret as the file.
struct ODISAuthorizationKey: ~Copyable {
  /// The address that the service checks.
  let address: EthereumAddress

  private let secret: SecretBytes

  /// Derives the key.
  ///
  /// - Parameter seed: the second half of the nonce, 16 bytes.
  /// - Throws: `damaged` for one of 2^127 that gives no key.
  init(seed: [UInt8]) throws(ForeignBackupError) {
    var mixer = CeloKeyMixer(.odisAuthorizationKey)
    mixer.add(seed)
    let secret = mixer.key()
    guard let point = Self.publicKey(of: secret) else { throw .damaged(part: "the field nonce") }
    address = EthereumAddress(of: point)
    self.secret = secret
  }

  /// Signs a hash, deterministically (RFC 6979), as Ethereum's wallets do.
  ///
  /// - Returns: `0x` and the hex digits of r, s and v: 65 bytes.
  borrowing func signature(of hash: [UInt8]) -> String {
    var signature = secp256k1_ecdsa_recoverable_signature()
    var compact = [UInt8](repeating: 0, count: 64)
    var recovery: Int32 = 0
    let isDone = unsafe secret.withUnsafeBytes { secret in
      unsafe secp256k1_ecdsa_sign_recoverable(
        BlindedCurve.context, &signature, hash,
        secret.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self), nil, nil) == 1
    }
    // The key was checked when it was made; nothing else fails.
    precondition(isDone && hash.count == 32, "a hash and a key of 32 bytes")
    unsafe secp256k1_ecdsa_recoverable_signature_serialize_compact(
      BlindedCurve.context, &compact, &recovery, &signature)
    return "0x" + Hex.string(compact + [27 + UInt8(recovery)])
  }

  /// The two coordinates of the public key; nil if the secret is no scalar.
  private static func publicKey(of secret: borrowing SecretBytes) -> [UInt8]? {
    var key = secp256k1_pubkey()
    let isKey = unsafe secret.withUnsafeBytes { secret in
      unsafe secp256k1_ec_pubkey_create(
        BlindedCurve.context, &key,
        secret.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)) == 1
    }
    guard isKey else { return nil }
    var point = [UInt8](repeating: 0, count: 65)
    var size = point.count
    unsafe secp256k1_ec_pubkey_serialize(
      BlindedCurve.context, &point, &size, &key, UInt32(SECP256K1_EC_UNCOMPRESSED))
    return Array(point.dropFirst())
  }
}

extension CeloBackup {
  /// The key that signs requests about this file.
  func authorizationKey() throws(ForeignBackupError) -> ODISAuthorizationKey {
    try ODISAuthorizationKey(seed: Array(nonce.suffix(Self.nonceSize / 2)))
  }

  /// The address of that key.
  package var authorizationAddress: EthereumAddress? { try? authorizationKey().address }
}
