internal import SecretMemory

/// ChaCha20-Poly1305 with this module's errors.
enum AEAD {
  static func seal(
    _ plaintext: RawSpan, key: borrowing SecretBytes, nonce: [UInt8], associatedData: [UInt8]
  ) throws(CSPPError) -> [UInt8] {
    do {
      return try ChaCha20Poly1305.seal(
        plaintext, key: key, nonce: nonce, associatedData: associatedData)
    } catch {
      throw CSPPError(error)
    }
  }

  static func seal(
    inPlace message: inout SecretBytes, key: borrowing SecretBytes, nonce: [UInt8],
    associatedData: [UInt8]
  ) throws(CSPPError) {
    do {
      try ChaCha20Poly1305.seal(
        inPlace: &message, key: key, nonce: nonce, associatedData: associatedData)
    } catch {
      throw CSPPError(error)
    }
  }

  static func open(
    inPlace sealed: inout SecretBytes, key: borrowing SecretBytes, nonce: [UInt8],
    associatedData: [UInt8]
  ) throws(CSPPError) {
    do {
      try ChaCha20Poly1305.open(
        inPlace: &sealed, key: key, nonce: nonce, associatedData: associatedData)
    } catch {
      throw CSPPError(error)
    }
  }

  static func open(
    _ sealed: [UInt8], key: borrowing SecretBytes, nonce: [UInt8], associatedData: [UInt8]
  ) throws(CSPPError) -> SecretBytes {
    var plaintext = SecretBytes(zeroed: 0)
    try open(sealed, key: key, nonce: nonce, associatedData: associatedData, into: &plaintext)
    return plaintext
  }

  static func open(
    _ sealed: [UInt8], key: borrowing SecretBytes, nonce: [UInt8], associatedData: [UInt8],
    into plaintext: inout SecretBytes
  ) throws(CSPPError) {
    do {
      try unsafe ChaCha20Poly1305.open(
        sealed.span.bytes, key: key, nonce: nonce, associatedData: associatedData, into: &plaintext)
    } catch {
      throw CSPPError(error)
    }
  }
}

extension CSPPError {
  init(_ error: SecretMemoryError) {
    switch error {
    case .authenticationFailed: self = .authenticationFailed
    case .invalidParameter(let parameter): self = .invalidField(parameter)
    // Only Argon2id can run out of memory, and no caller of this code uses it.
    case .outOfMemory: self = .invalidField("memory")
    }
  }
}
