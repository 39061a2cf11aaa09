internal import CSodium

/// The common part of both forms of ChaCha20-Poly1305, which differ in the size of the nonce and in
/// the libsodium function.
enum ChaChaPoly {
  /// ``ChaCha20Poly1305``.
  case chaCha20Poly1305
  /// ``XChaCha20Poly1305``.
  case xChaCha20Poly1305

  static let keySize = 32
  static let tagSize = 16

  var nonceSize: Int {
    switch self {
    case .chaCha20Poly1305: 12
    case .xChaCha20Poly1305: 24
    }
  }

  /// See ``ChaCha20Poly1305/seal(_:key:nonce:associatedData:)``.
  func seal(
    _ plaintext: RawSpan, key: borrowing SecretBytes, nonce: [UInt8], associatedData: [UInt8]
  ) throws(SecretMemoryError) -> [UInt8] {
    try check(key, nonce)
    var sealed = [UInt8](repeating: 0, count: plaintext.byteCount + Self.tagSize)
    unsafe plaintext.withUnsafeBytes { message in
      unsafe encrypt(
        message.cBytes, count: message.count, into: &sealed, key, nonce, associatedData)
    }
    return sealed
  }

  /// See ``ChaCha20Poly1305/seal(inPlace:key:nonce:associatedData:)``.
  func seal(
    inPlace message: inout SecretBytes, key: borrowing SecretBytes, nonce: [UInt8],
    associatedData: [UInt8]
  ) throws(SecretMemoryError) {
    try check(key, nonce)
    let count = message.count
    message.reserve(count + Self.tagSize)
    message.resize(to: count + Self.tagSize)
    unsafe message.withUnsafeMutableBytes { memory in
      // libsodium encrypts in place.
      unsafe encrypt(
        memory.cBytes, count: count, into: memory.cBytes, key, nonce, associatedData)
    }
  }

  /// See ``ChaCha20Poly1305/open(_:key:nonce:associatedData:into:)``.
  func open(
    _ sealed: RawSpan, key: borrowing SecretBytes, nonce: [UInt8], associatedData: [UInt8],
    into plaintext: inout SecretBytes
  ) throws(SecretMemoryError) {
    try check(key, nonce)
    guard sealed.byteCount >= Self.tagSize else { throw .authenticationFailed }
    plaintext.reuse(count: sealed.byteCount - Self.tagSize)
    let verified = unsafe plaintext.withUnsafeMutableBytes { output in
      unsafe sealed.withUnsafeBytes { sealed in
        unsafe decrypt(
          sealed.cBytes, count: sealed.count, into: output.cBytes, key, nonce, associatedData)
      }
    }
    if !verified {
      plaintext.resize(to: 0)
      throw .authenticationFailed
    }
  }

  /// See ``ChaCha20Poly1305/open(inPlace:key:nonce:associatedData:)``.
  func open(
    inPlace sealed: inout SecretBytes, key: borrowing SecretBytes, nonce: [UInt8],
    associatedData: [UInt8]
  ) throws(SecretMemoryError) {
    let count = sealed.count - Self.tagSize
    guard count >= 0 else {
      sealed.resize(to: 0)
      throw .authenticationFailed
    }
    try check(key, nonce)
    let verified = unsafe sealed.withUnsafeMutableBytes { memory in
      // libsodium decrypts in place, after it has verified everything.
      unsafe decrypt(
        memory.cBytes, count: memory.count, into: memory.cBytes, key, nonce, associatedData)
    }
    sealed.resize(to: verified ? count : 0)
    if !verified { throw .authenticationFailed }
  }

  private func check(
    _ key: borrowing SecretBytes, _ nonce: [UInt8]
  ) throws(SecretMemoryError) {
    guard key.count == Self.keySize else { throw .invalidParameter("key: 32 bytes") }
    guard nonce.count == nonceSize else {
      throw .invalidParameter("nonce: \(nonceSize) bytes")
    }
  }

  /// Writes ciphertext and tag; message and output may be the same memory.
  private func encrypt(
    _ message: UnsafePointer<UInt8>, count: Int, into output: UnsafeMutablePointer<UInt8>,
    _ key: borrowing SecretBytes, _ nonce: [UInt8], _ associatedData: [UInt8]
  ) {
    let function =
      switch self {
      case .chaCha20Poly1305: unsafe crypto_aead_chacha20poly1305_ietf_encrypt
      case .xChaCha20Poly1305: unsafe crypto_aead_xchacha20poly1305_ietf_encrypt
      }
    unsafe key.withUnsafeBytes { key in
      _ = unsafe function(
        output, nil, message, UInt64(count), associatedData, UInt64(associatedData.count), nil,
        nonce, key.cBytes)
    }
  }

  /// Writes the plaintext if the tag matches; message and output may be the same memory.
  ///
  /// - Returns: whether the tag matches.
  private func decrypt(
    _ sealed: UnsafePointer<UInt8>, count: Int, into output: UnsafeMutablePointer<UInt8>,
    _ key: borrowing SecretBytes, _ nonce: [UInt8], _ associatedData: [UInt8]
  ) -> Bool {
    let function =
      switch self {
      case .chaCha20Poly1305: unsafe crypto_aead_chacha20poly1305_ietf_decrypt
      case .xChaCha20Poly1305: unsafe crypto_aead_xchacha20poly1305_ietf_decrypt
      }
    return unsafe key.withUnsafeBytes { key in
      unsafe function(
        output, nil, nil, sealed, UInt64(count), associatedData, UInt64(associatedData.count),
        nonce, key.cBytes) == 0
    }
  }
}
