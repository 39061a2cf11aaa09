internal import COpenSSL

/// OpenSSL's cryptography on plain byte arrays: for the simulated key, and as a second opinion in
/// tests.
///
/// Nothing here wipes memory. The product's cryptography is that of `SecretMemory`.
public enum OpenSSL {
  /// The SHA-256 digest, 32 bytes.
  public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    unsafe SHA256(bytes, bytes.count, &digest)
    return digest
  }

  /// HMAC-SHA-256 (RFC 2104), 32 bytes.
  public static func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    unsafe HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &code, nil)
    return code
  }

  /// HKDF with SHA-256 (RFC 5869).
  ///
  /// - Parameters:
  ///   - secret: the input keying material.
  ///   - salt: no bytes are the same as 32 zeros.
  ///   - info: the context.
  ///   - count: the length of the output, at most 8,160 bytes.
  /// - Returns: the output keying material.
  public static func hkdf(
    _ secret: [UInt8], salt: [UInt8] = [], info: [UInt8], count: Int
  ) -> [UInt8] {
    let key = hmac(secret, key: salt)
    var output: [UInt8] = []
    var block: [UInt8] = []
    var number: UInt8 = 1
    while output.count < count {
      block = hmac(block + info + [number], key: key)
      output += block
      number &+= 1
    }
    return Array(output.prefix(count))
  }

  /// AES-256-CBC without padding.
  ///
  /// - Parameters:
  ///   - bytes: whole blocks of 16 bytes.
  ///   - key: 32 bytes.
  ///   - iv: 16 bytes.
  ///   - encrypting: decrypts otherwise.
  /// - Returns: nil if a length is wrong.
  public static func aes256CBC(
    _ bytes: [UInt8], key: [UInt8], iv: [UInt8], encrypting: Bool
  ) -> [UInt8]? {
    guard key.count == 32, iv.count == 16, bytes.count.isMultiple(of: 16) else { return nil }
    let cipher = unsafe Cipher(EVP_aes_256_cbc(), key: key, iv: iv, encrypting: encrypting)
    unsafe EVP_CIPHER_CTX_set_padding(cipher.context, 0)
    return cipher.update(bytes)
  }

  /// Seals with ChaCha20-Poly1305 (RFC 8439).
  ///
  /// - Parameters:
  ///   - plaintext: any number of bytes.
  ///   - key: 32 bytes.
  ///   - nonce: 12 bytes.
  ///   - data: what is authenticated beside it.
  /// - Returns: the ciphertext, then the tag of 16 bytes; nil if a length is wrong.
  public static func seal(
    _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8] = []
  ) -> [UInt8]? {
    let cipher = unsafe Cipher(EVP_chacha20_poly1305(), key: key, iv: nonce, encrypting: true)
    var tag = [UInt8](repeating: 0, count: 16)
    guard cipher.authenticate(data), let ciphertext = cipher.update(plaintext), cipher.finish(),
      unsafe EVP_CIPHER_CTX_ctrl(cipher.context, EVP_CTRL_AEAD_GET_TAG, 16, &tag) == 1
    else { return nil }
    return ciphertext + tag
  }

  /// Opens what ``seal(_:key:nonce:authenticating:)`` made; nil if the tag does not fit.
  public static func open(
    _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8] = []
  ) -> [UInt8]? {
    guard sealed.count >= 16 else { return nil }
    let cipher = unsafe Cipher(EVP_chacha20_poly1305(), key: key, iv: nonce, encrypting: false)
    var tag = Array(sealed.suffix(16))
    guard unsafe EVP_CIPHER_CTX_ctrl(cipher.context, EVP_CTRL_AEAD_SET_TAG, 16, &tag) == 1,
      cipher.authenticate(data), let plaintext = cipher.update(sealed.dropLast(16)),
      cipher.finish()
    else { return nil }
    return plaintext
  }
}

/// One run of a cipher.
@safe private struct Cipher: ~Copyable {
  let context: OpaquePointer?

  init(
    _ cipher: OpaquePointer?, key: [UInt8], iv: [UInt8], encrypting: Bool
  ) {
    unsafe context = EVP_CIPHER_CTX_new()
    unsafe EVP_CipherInit_ex(context, cipher, nil, key, iv, encrypting ? 1 : 0)
  }

  deinit { unsafe EVP_CIPHER_CTX_free(context) }

  func authenticate(_ data: [UInt8]) -> Bool {
    var count: Int32 = 0
    return unsafe data.isEmpty
      || EVP_CipherUpdate(context, nil, &count, data, Int32(data.count)) == 1
  }

  func update(_ bytes: some Collection<UInt8>) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: bytes.count)
    var count: Int32 = 0
    guard unsafe EVP_CipherUpdate(context, &output, &count, Array(bytes), Int32(bytes.count)) == 1
    else { return nil }
    return output
  }

  func finish() -> Bool {
    var rest = [UInt8](repeating: 0, count: 16)
    var count: Int32 = 0
    return unsafe EVP_CipherFinal_ex(context, &rest, &count) == 1
  }
}
