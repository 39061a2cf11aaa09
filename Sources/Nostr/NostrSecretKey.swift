internal import BlindedCurve
internal import CSecp256k1
public import SecretMemory

/// A Nostr identity's secret key, in guarded memory.
public struct NostrSecretKey: ~Copyable, Sendable {
  /// The size of a secret key in bytes.
  public static let size = 32

  private let bytes: SecretBytes
  /// A `secp256k1_keypair`: the secret key and its point.
  private let pair: SecretBytes
  /// The identity.
  public let publicKey: NostrPublicKey

  /// The key that nostr-passkey derives from a PRF output: its SHA-256.
  ///
  /// - Parameter prfOutput: 32 bytes.
  /// - Throws: ``NostrError/wrongLength``; ``NostrError/invalidSecretKey``, with a
  ///   chance of about 2^-128.
  public init(prfOutput: borrowing SecretBytes) throws(NostrError) {
    guard prfOutput.count == Self.size else { throw .wrongLength }
    try self.init(prfOutput.withBytes { SHA256.secretHash($0) })
  }

  /// Creates a key from its own bytes.
  ///
  /// - Parameter bytes: 32 bytes, big-endian.
  /// - Throws: ``NostrError/wrongLength``, ``NostrError/invalidSecretKey``.
  public init(_ bytes: consuming SecretBytes) throws(NostrError) {
    guard bytes.count == Self.size else { throw .wrongLength }
    var pair = SecretBytes(zeroed: MemoryLayout<secp256k1_keypair>.size)
    var point = secp256k1_xonly_pubkey()
    var coordinate = [UInt8](repeating: 0, count: 32)
    let isValid = unsafe pair.withUnsafeMutableBytes { pair in
      let pair = unsafe pair.baseAddress.unsafelyUnwrapped
        .assumingMemoryBound(to: secp256k1_keypair.self)
      return unsafe bytes.withUnsafeBytes { bytes in
        let key = unsafe bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
        return unsafe secp256k1_keypair_create(BlindedCurve.context, pair, key) == 1
          && secp256k1_keypair_xonly_pub(BlindedCurve.context, &point, nil, pair) == 1
          && secp256k1_xonly_pubkey_serialize(BlindedCurve.context, &coordinate, &point) == 1
      }
    }
    guard isValid else { throw .invalidSecretKey }
    self.bytes = bytes
    self.pair = pair
    publicKey = NostrPublicKey(checked: coordinate)
  }

  /// Passes the 32 bytes to a closure.
  public borrowing func withBytes<R: ~Copyable, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try bytes.withBytes(body)
  }

  /// A copy of the 32 bytes, with its own owner.
  public borrowing func copyBytes() -> SecretBytes { bytes.copy() }

  /// Signs a message (BIP-340), and checks the signature before returning it.
  ///
  /// - Parameters:
  ///   - message: any number of bytes; for an event its 32-byte ID.
  ///   - random: 32 bytes of auxiliary randomness; fresh ones if omitted.
  /// - Returns: 64 bytes.
  /// - Throws: ``NostrError/internalError(_:)`` when the computer made an error.
  public borrowing func sign(
    _ message: [UInt8], random: [UInt8]? = nil
  ) throws(NostrError) -> [UInt8] {
    var random = random ?? Randomness.bytes(count: 32)
    precondition(random.count == 32, "BIP-340 takes 32 bytes of auxiliary randomness")
    var signature = [UInt8](repeating: 0, count: 64)
    let isSigned = unsafe random.withUnsafeMutableBytes { random in
      var parameters = unsafe keybackup_schnorrsig_extraparams(random.baseAddress)
      return unsafe pair.withUnsafeBytes { pair in
        let pair = unsafe pair.baseAddress.unsafelyUnwrapped
          .assumingMemoryBound(to: secp256k1_keypair.self)
        return unsafe secp256k1_schnorrsig_sign_custom(
          BlindedCurve.context, &signature, message, message.count, pair, &parameters) == 1
      }
    }
    guard isSigned, publicKey.verifies(signature: signature, of: message) else {
      throw .internalError("signing")
    }
    return signature
  }
}
