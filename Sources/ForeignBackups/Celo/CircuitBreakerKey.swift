internal import COpenSSL
package import SecretMemory

/// The RSA key of a circuit breaker, the service that unwraps the fuse keys of a file while it is
/// in business.
///
/// OpenSSL holds the key in its own memory, which it wipes when the key is freed.
@safe
package struct CircuitBreakerKey: ~Copyable {
  /// The largest PEM file that is read, 64 KiB.
  package static let sizeLimit = 64 << 10

  private let key: OpaquePointer

  /// Reads a private key in PEM, without a password of its own.
  ///
  /// - Throws: `refused` for one with a password and for another kind, `otherKind` for what is no key.
  package init(pem: borrowing SecretBytes) throws(ForeignBackupError) {
    guard pem.count <= Self.sizeLimit else {
      throw .tooLarge(part: "the circuit breaker's key, in bytes,", limit: Self.sizeLimit)
    }
    var wantsPassword = false
    let read: OpaquePointer? = unsafe pem.withUnsafeBytes { pem in
      guard let source = unsafe BIO_new_mem_buf(pem.baseAddress, Int32(pem.count)) else {
        return nil
      }
      defer { unsafe BIO_free(source) }
      // Without a function OpenSSL would ask for a password at the terminal.
      return unsafe PEM_read_bio_PrivateKey(
        source, nil,
        { _, _, _, asked in
          unsafe asked?.storeBytes(of: true, as: Bool.self)
          return -1
        }, &wantsPassword)
    }
    ERR_clear_error()
    guard !wantsPassword else {
      throw .refused(
        part: "the circuit breaker's key, which has a password of its own,",
        advice: "make a copy without it: openssl pkey -in KEY -out COPY")
    }
    guard let read = unsafe read else { throw .otherKind("private RSA key (PEM)") }
    guard unsafe EVP_PKEY_is_a(read, "RSA") == 1 else {
      unsafe EVP_PKEY_free(read)
      throw .refused(
        part: "the circuit breaker's key, which is no RSA key,",
        advice: "check that it is the right file")
    }
    unsafe key = read
  }

  deinit { unsafe EVP_PKEY_free(key) }

  /// Unwraps a fuse key: RSA-OAEP with SHA-256.
  ///
  /// - Returns: the fuse key, 16 bytes.
  /// - Throws: `wrongSecret`; `damaged` when something else than a fuse key was wrapped.
  package borrowing func unwrap(_ wrapped: [UInt8]) throws(ForeignBackupError) -> SecretBytes {
    guard let unwrapped = decrypt(wrapped) else {
      throw .wrongSecret(part: "the circuit breaker's key")
    }
    guard unwrapped.count == CeloBackup.fuseKeySize else {
      throw .damaged(part: "the fuse key in encryptedFuseKey")
    }
    return unwrapped
  }

  private borrowing func decrypt(_ wrapped: [UInt8]) -> SecretBytes? {
    defer { ERR_clear_error() }
    guard let context = unsafe EVP_PKEY_CTX_new(key, nil) else { return nil }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    guard unsafe EVP_PKEY_decrypt_init(context) == 1,
      unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1,
      unsafe EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()) == 1,
      unsafe EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) == 1
    else { return nil }
    var size = Int(unsafe EVP_PKEY_get_size(key))
    var unwrapped = SecretBytes(zeroed: size)
    let isDone = unsafe unwrapped.withUnsafeMutableBytes { output in
      unsafe EVP_PKEY_decrypt(
        context, output.baseAddress?.assumingMemoryBound(to: UInt8.self), &size, wrapped,
        wrapped.count) == 1
    }
    guard isDone else { return nil }
    unwrapped.resize(to: size)
    return unwrapped
  }
}
