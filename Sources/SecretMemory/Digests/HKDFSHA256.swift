/// HKDF with SHA-256 (RFC 5869).
///
/// libsodium 1.0.18 does not provide it, so its two steps are implemented here on libsodium's HMAC.
public enum HKDFSHA256 {
  private static let blockSize = HMACSHA256.codeSize

  /// Extracts, then expands.
  ///
  /// - Parameters:
  ///   - ikm: input keying material, any size.
  ///   - salt: empty for none, which means 32 zero bytes (RFC 5869, section 2.2).
  ///   - info: the context, which may be empty.
  ///   - count: output size in bytes, 1 to 8160 (255 blocks).
  /// - Returns: `count` bytes.
  /// - Precondition: `count` is in range; every caller passes a constant.
  public static func deriveKey(
    ikm: RawSpan, salt: [UInt8] = [], info: [UInt8], count: Int = 32
  ) -> SecretBytes {
    var key = SecretBytes(zeroed: 2 * blockSize)
    deriveKey(ikm: ikm, salt: salt, info: info, count: count, into: &key)
    return key
  }

  /// Extracts, then expands, into memory that is reused.
  ///
  /// - Parameters:
  ///   - ikm: input keying material, any size.
  ///   - salt: empty for none.
  ///   - info: the context.
  ///   - count: output size in bytes, 1 to 8160.
  ///   - key: afterwards exactly the output.
  public static func deriveKey(
    ikm: RawSpan, salt: [UInt8], info: [UInt8], count: Int = 32, into key: inout SecretBytes
  ) {
    precondition((1...(255 * blockSize)).contains(count), "HKDF yields 1 to 8160 bytes")
    // One guarded allocation holds the output in whole blocks, followed by the pseudorandom key,
    // which the last step wipes.
    let blocks = (count + blockSize - 1) / blockSize
    key.reuse(count: (blocks + 1) * blockSize)
    unsafe key.withUnsafeMutableBytes { work in
      let prk = unsafe work.cBytes + blocks * blockSize
      unsafe HMACSHA256.write(key: salt.span.bytes, pieces: ikm, into: prk)
      unsafe expand(work.cBytes, blocks: blocks, prk: prk, info: info)
    }
    key.resize(to: count)
  }

  /// Extracts, then expands, from a secret and an ASCII context string.
  ///
  /// - Parameters:
  ///   - ikm: input keying material, any size.
  ///   - salt: empty for none.
  ///   - info: the context.
  ///   - count: output size in bytes, 1 to 8160.
  /// - Returns: `count` bytes.
  public static func deriveKey(
    ikm: borrowing SecretBytes, salt: [UInt8] = [], info: String, count: Int = 32
  ) -> SecretBytes {
    ikm.withBytes { deriveKey(ikm: $0, salt: salt, info: Array(info.utf8), count: count) }
  }

  /// Computes T(i) = HMAC(PRK, T(i-1) | info | i), block after block.
  private static func expand(
    _ output: UnsafeMutablePointer<UInt8>, blocks: Int, prk: UnsafePointer<UInt8>, info: [UInt8]
  ) {
    let key = unsafe RawSpan(_unsafeStart: prk, byteCount: blockSize)
    for index in 0..<blocks {
      let counter = [UInt8(index + 1)]
      let block = unsafe output + index * blockSize
      let previous = unsafe RawSpan(
        _unsafeStart: block - (index == 0 ? 0 : blockSize),
        byteCount: index == 0 ? 0 : blockSize)
      unsafe HMACSHA256.write(
        key: key, pieces: previous, info.span.bytes, counter.span.bytes, into: block)
    }
  }
}
