internal import COpenSSL
internal import SecretMemory

/// RIPEMD-160 of SHA-256, by which Bitcoin identifies a public key.
///
/// It is never used for a secret, so OpenSSL may work in ordinary memory.
enum Hash160 {
  static let size = 20

  /// - Throws: `ripemd160Missing` where OpenSSL is built or configured without it.
  static func hash(_ bytes: [UInt8]) throws(WalletFormatError) -> [UInt8] {
    let digest = SHA256.hash(bytes)
    var result = [UInt8](repeating: 0, count: 64)
    var written = 0
    let isDone = unsafe EVP_Q_digest(
      nil, "RIPEMD160", nil, digest, digest.count, &result, &written)
    guard isDone == 1, written == size else { throw .ripemd160Missing }
    return Array(result.prefix(size))
  }
}
