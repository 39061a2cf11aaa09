internal import BlindedCurve
internal import CSecp256k1
internal import SecretMemory

/// The operations on Bitcoin's curve (SEC 2, 2.4.1) that this module needs, by libsecp256k1.
enum Secp256k1 {
  /// Whether 32 big-endian bytes are a number in 1..n-1; takes the same time for every key.
  static func isPrivateKey(_ key: RawSpan) -> Bool {
    guard key.byteCount == 32 else { return false }
    return unsafe key.withUnsafeBytes { key in
      unsafe secp256k1_ec_seckey_verify(
        keybackup_secp256k1_context(),
        key.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)) == 1
    }
  }

  /// Whether 33 bytes are 2 or 3, followed by the x coordinate of a point.
  static func isCompressedPublicKey(_ key: RawSpan) -> Bool {
    key.byteCount == 33 && isPublicKey(key)
  }

  /// Whether 65 bytes are 4, followed by the two coordinates of a point.
  static func isUncompressedPublicKey(_ key: RawSpan) -> Bool {
    // The library also accepts the hybrid forms, 6 and 7, which Bitcoin does not.
    key.byteCount == 65 && key.byte(0) == 4 && isPublicKey(key)
  }

  /// Whether 32 bytes are the x coordinate of a point.
  static func isXOnlyPublicKey(_ key: RawSpan) -> Bool {
    guard key.byteCount == 32 else { return false }
    var point = secp256k1_xonly_pubkey()
    return unsafe key.withUnsafeBytes { key in
      unsafe secp256k1_xonly_pubkey_parse(
        keybackup_secp256k1_context(), &point,
        key.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)) == 1
    }
  }

  /// The 33 bytes of a private key's compressed public key; nil for a number that is not a key.
  static func publicKey(of key: RawSpan) -> [UInt8]? {
    guard key.byteCount == 32 else { return nil }
    var point = secp256k1_pubkey()
    var bytes = [UInt8](repeating: 0, count: 33)
    var size = bytes.count
    let isDone = unsafe key.withUnsafeBytes { key in
      unsafe secp256k1_ec_pubkey_create(
        BlindedCurve.context, &point,
        key.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)) == 1
        && secp256k1_ec_pubkey_serialize(
          BlindedCurve.context, &bytes, &size, &point, UInt32(SECP256K1_EC_COMPRESSED)) == 1
    }
    return isDone ? bytes : nil
  }

  /// Adds a number to a private key, modulo the curve's order.
  ///
  /// - Returns: whether the sum is a key and the number is below the order.
  static func add(_ tweak: borrowing SecretBytes, to key: inout SecretBytes) -> Bool {
    precondition(tweak.count == 32 && key.count == 32, "32 bytes each")
    return unsafe key.withUnsafeMutableBytes { key in
      unsafe tweak.withUnsafeBytes { tweak in
        unsafe secp256k1_ec_seckey_tweak_add(
          BlindedCurve.context,
          key.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self),
          tweak.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)) == 1
      }
    }
  }

  private static func isPublicKey(_ key: RawSpan) -> Bool {
    var point = secp256k1_pubkey()
    return unsafe key.withUnsafeBytes { key in
      unsafe secp256k1_ec_pubkey_parse(
        keybackup_secp256k1_context(), &point,
        key.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self), key.count) == 1
    }
  }
}
