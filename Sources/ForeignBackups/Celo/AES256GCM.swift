internal import COpenSSL
internal import SecretMemory

/// AES-256-GCM as Celo's encrypted backup stores it: IV (12 bytes), ciphertext, tag (16), and
/// nothing beside them is authenticated.
enum AES256GCM {
  static let keySize = 32
  static let ivSize = 12
  static let tagSize = 16
  /// The bytes that a sealed text is longer than the text, 28.
  static let overhead = ivSize + tagSize

  /// Opens a sealed text.
  ///
  /// - Returns: the text; nil if the key is wrong or a byte was changed.
  static func open(_ sealed: [UInt8], key: borrowing SecretBytes) -> SecretBytes? {
    guard sealed.count >= overhead, key.count == keySize else { return nil }
    let iv = Array(sealed[..<ivSize])
    let body = Array(sealed[ivSize..<(sealed.count - tagSize)])
    var tag = Array(sealed.suffix(tagSize))
    var text = SecretBytes(zeroed: body.count)
    let isDone = unsafe with(key, iv, encrypts: false) { context in
      unsafe update(context, body, into: &text)
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagSize), &tag) == 1
        && finish(context, encrypts: false)
    }
    // The text of a wrong tag is wiped with its memory, unseen.
    guard isDone else { return nil }
    return text
  }

  /// Seals a text with a new random IV.
  ///
  /// - Returns: the sealed text; nil if OpenSSL fails.
  static func seal(_ text: borrowing SecretBytes, key: borrowing SecretBytes) -> [UInt8]? {
    guard key.count == keySize else { return nil }
    let iv = Randomness.bytes(count: ivSize)
    var body = [UInt8](repeating: 0, count: text.count)
    var tag = [UInt8](repeating: 0, count: tagSize)
    let isDone = unsafe with(key, iv, encrypts: true) { context in
      var written: Int32 = 0
      let isWritten = unsafe text.withUnsafeBytes { text in
        unsafe text.isEmpty
          || EVP_EncryptUpdate(
            context, &body, &written, text.baseAddress?.assumingMemoryBound(to: UInt8.self),
            Int32(text.count)) == 1
      }
      return unsafe isWritten && finish(context, encrypts: true)
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagSize), &tag) == 1
    }
    return isDone ? iv + body + tag : nil
  }

  /// Passes a context with key and IV to a closure; frees it, which wipes the key in it.
  private static func with(
    _ key: borrowing SecretBytes, _ iv: [UInt8], encrypts: Bool, _ body: (OpaquePointer) -> Bool
  ) -> Bool {
    guard let context = unsafe EVP_CIPHER_CTX_new() else { return false }
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    let isReady = unsafe key.withUnsafeBytes { key in
      unsafe EVP_CipherInit_ex(
        context, EVP_aes_256_gcm(), nil, key.baseAddress?.assumingMemoryBound(to: UInt8.self), iv,
        encrypts ? 1 : 0) == 1
    }
    return unsafe isReady && body(context)
  }

  private static func update(
    _ context: OpaquePointer, _ body: [UInt8], into text: inout SecretBytes
  ) -> Bool {
    if body.isEmpty { return true }
    var written: Int32 = 0
    return unsafe text.withUnsafeMutableBytes { text in
      unsafe EVP_DecryptUpdate(
        context, text.baseAddress?.assumingMemoryBound(to: UInt8.self), &written, body,
        Int32(body.count)) == 1
    }
  }

  /// Ends the message: GCM writes nothing here, and checks the tag where it decrypts.
  private static func finish(_ context: OpaquePointer, encrypts: Bool) -> Bool {
    var rest = [UInt8](repeating: 0, count: 16)
    var written: Int32 = 0
    return unsafe EVP_CipherFinal_ex(context, &rest, &written) == 1 && written == 0
  }
}
