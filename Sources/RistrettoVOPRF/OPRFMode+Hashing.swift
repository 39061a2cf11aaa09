internal import CSodium
internal import SecretMemory

/// HashToGroup and HashToScalar of RFC 9497, section 4.1.
extension OPRFMode {
  /// The element of a secret input, in guarded memory: who has it can test guesses of the input.
  ///
  /// - Throws: ``VOPRFError/invalidInput``.
  func hashToGroup(_ input: borrowing SecretBytes) throws(VOPRFError) -> SecretBytes {
    guard input.count <= TwoBytes.limit else { throw .invalidInput }
    var element = SecretBytes(zeroed: ExpandMessage.size)
    let isIdentity = unsafe element.withUnsafeMutableBytes { work in
      let work = unsafe RistrettoScalar.start(work)
      unsafe ExpandMessage.expand(domain: domain("HashToGroup-"), into: work) { hash in
        input.withBytes { hash.update($0) }
      }
      // libsodium reads all 64 bytes before it writes the element over the first 32.
      return unsafe crypto_core_ristretto255_from_hash(work, work) != 0
        || sodium_is_zero(work, RistrettoElement.size) == 1
    }
    if isIdentity { throw .invalidInput }
    element.resize(to: RistrettoElement.size)
    return element
  }

  /// The scalar of a public message, which may be zero.
  func hashToScalar(_ message: (inout SHA512) -> Void) -> [UInt8] {
    var wide = [UInt8](repeating: 0, count: ExpandMessage.size)
    var scalar = [UInt8](repeating: 0, count: RistrettoScalar.size)
    unsafe wide.withUnsafeMutableBytes { wide in
      let wide = unsafe RistrettoScalar.start(wide)
      unsafe ExpandMessage.expand(
        domain: domain("HashToScalar-"), into: wide, message: message)
      unsafe crypto_core_ristretto255_scalar_reduce(&scalar, wide)
    }
    return scalar
  }

  /// The scalar of a secret message, which may be zero.
  func secretScalar(label: String, _ message: (inout SHA512) -> Void) -> SecretBytes {
    var scalar = SecretBytes(zeroed: ExpandMessage.size + RistrettoScalar.size)
    unsafe scalar.withUnsafeMutableBytes { work in
      let scalar = unsafe RistrettoScalar.start(work)
      let wide = unsafe scalar + RistrettoScalar.size
      unsafe ExpandMessage.expand(domain: domain(label), into: wide, message: message)
      unsafe crypto_core_ristretto255_scalar_reduce(scalar, wide)
    }
    scalar.resize(to: RistrettoScalar.size)
    return scalar
  }

  /// The last step of the function: SHA-512 of the input and the element that belongs to it under
  /// the key, 64 bytes (section 3.3.1).
  static func output(
    of input: borrowing SecretBytes, element: borrowing SecretBytes
  ) -> SecretBytes {
    var output = SecretBytes(zeroed: SHA512.digestSize)
    var hash = SHA512()
    input.withBytes { hash.updateSized($0) }
    element.withBytes { hash.updateSized($0) }
    hash.update(Array("Finalize".utf8))
    unsafe output.withUnsafeMutableBytes { output in
      unsafe hash.finalize(into: RistrettoScalar.start(output))
    }
    return output
  }
}
