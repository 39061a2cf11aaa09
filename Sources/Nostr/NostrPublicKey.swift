internal import BlindedCurve
internal import CSecp256k1
public import SecretMemory

/// A Nostr identity: the x coordinate of a point of secp256k1 (BIP-340).
public struct NostrPublicKey: Hashable, Sendable {
  /// 32 bytes.
  public let bytes: [UInt8]

  init(checked bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Creates a public key from 32 bytes.
  ///
  /// - Throws: ``NostrError/wrongLength``, ``NostrError/invalidPublicKey``.
  public init(_ bytes: [UInt8]) throws(NostrError) {
    guard bytes.count == 32 else { throw .wrongLength }
    var point = secp256k1_xonly_pubkey()
    guard unsafe secp256k1_xonly_pubkey_parse(BlindedCurve.context, &point, bytes) == 1 else {
      throw .invalidPublicKey
    }
    self.bytes = bytes
  }

  /// Whether bytes are a public key.
  ///
  /// - Parameter bytes: may also be a secret key, so nothing of them is left outside guarded
  ///   memory.
  /// - Returns: whether they are a public key.
  public static func isOne(_ bytes: borrowing SecretBytes) -> Bool {
    guard bytes.count == 32 else { return false }
    var point = SecretBytes(zeroed: MemoryLayout<secp256k1_xonly_pubkey>.size)
    return unsafe point.withUnsafeMutableBytes { point in
      let point = unsafe point.baseAddress.unsafelyUnwrapped
        .assumingMemoryBound(to: secp256k1_xonly_pubkey.self)
      return unsafe bytes.withUnsafeBytes { bytes in
        unsafe secp256k1_xonly_pubkey_parse(
          BlindedCurve.context, point,
          bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)) == 1
      }
    }
  }

  /// 64 lower-case hexadecimal digits.
  public var hex: String { Hex.string(bytes) }

  /// Whether a signature of this identity is valid for a message (BIP-340).
  ///
  /// - Parameters:
  ///   - signature: 64 bytes; any other number is invalid.
  ///   - message: any number of bytes; for an event its 32-byte ID.
  /// - Returns: whether it is valid.
  public func verifies(signature: [UInt8], of message: [UInt8]) -> Bool {
    guard signature.count == 64 else { return false }
    var point = secp256k1_xonly_pubkey()
    guard unsafe secp256k1_xonly_pubkey_parse(BlindedCurve.context, &point, bytes) == 1 else {
      return false
    }
    return unsafe secp256k1_schnorrsig_verify(
      BlindedCurve.context, signature, message, message.count, &point) == 1
  }
}
