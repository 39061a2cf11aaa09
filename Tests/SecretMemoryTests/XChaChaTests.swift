import SecretMemory
import TestSupport
import Testing

/// XChaCha20-Poly1305 and HMAC-SHA-512 against what others computed.
@Suite struct XChaChaTests {
  struct AEADCase: Decodable {
    let key, nonce, aad, plaintext, ciphertext, tag: String
  }

  /// The opened message, or the error.
  private func opened(
    _ message: [UInt8], key: [UInt8], nonce: [UInt8], data: [UInt8]
  ) throws(SecretMemoryError) -> [UInt8] {
    var text = secret(message)
    do throws(SecretMemoryError) {
      try XChaCha20Poly1305.open(
        inPlace: &text, key: secret(key), nonce: nonce, associatedData: data)
    } catch {
      if case .authenticationFailed = error { #expect(array(text).isEmpty) }
      throw error
    }
    return array(text)
  }

  @Test func `Draft's vector and another program's, both slots`() throws {
    let cases = try vectors("xchacha20-poly1305", of: AEADCase.self)
    #expect(cases.count > 30)
    for vector in cases {
      let (key, nonce) = (try bytes(vector.key), try bytes(vector.nonce))
      let (data, plaintext) = (try bytes(vector.aad), try bytes(vector.plaintext))
      let sealed = try bytes(vector.ciphertext + vector.tag)
      var message = secret(plaintext)
      try XChaCha20Poly1305.seal(
        inPlace: &message, key: secret(key), nonce: nonce, associatedData: data)
      #expect(hex(message) == hex(sealed))
      #expect(try opened(sealed, key: key, nonce: nonce, data: data) == plaintext)
    }
  }

  @Test func `Any change is noticed`() throws {
    let vector = try #require(try vectors("xchacha20-poly1305", of: AEADCase.self).first)
    let (key, nonce) = (try bytes(vector.key), try bytes(vector.nonce))
    let data = try bytes(vector.aad)
    let sealed = try bytes(vector.ciphertext + vector.tag)
    for place in sealed.indices {
      var changed = sealed
      changed[place] ^= 1 << UInt8(place % 8)
      #expect(throws: SecretMemoryError.authenticationFailed) {
        try opened(changed, key: key, nonce: nonce, data: data)
      }
    }
    for place in 0..<24 {
      var other = nonce
      other[place] ^= 0x10
      #expect(throws: SecretMemoryError.authenticationFailed) {
        try opened(sealed, key: key, nonce: other, data: data)
      }
    }
    for short in [[], [1], Array(sealed.prefix(15))] as [[UInt8]] {
      #expect(throws: SecretMemoryError.authenticationFailed) {
        try opened(short, key: key, nonce: nonce, data: data)
      }
    }
    for (key, nonce) in [(Array(key.dropLast()), nonce), (key, Array(nonce.prefix(12)))] {
      #expect(throws: SecretMemoryError.self) {
        try opened(sealed, key: key, nonce: nonce, data: data)
      }
    }
  }

  struct HMACCase: Decodable { let key, message, code: String }

  @Test func `HMAC-SHA-512 of RFC 4231`() throws {
    let cases = try vectors("hmac-sha512", of: HMACCase.self)
    #expect(cases.count == 6)
    for vector in cases {
      let (key, message) = (try bytes(vector.key), try bytes(vector.message))
      let code = unsafe HMACSHA512.code(for: message.span.bytes, key: key.span.bytes)
      #expect(hex(code) == vector.code)
    }
  }

  /// BIP-39's vectors use 2048 iterations; here are the first ones.
  @Test func `PBKDF2 with one iteration is one HMAC`() {
    let (password, salt) = (Array("password".utf8), Array("salt".utf8))
    let one = unsafe HMACSHA512.pbkdf2(
      password: password.span.bytes, salt: salt.span.bytes, iterations: 1)
    let message = salt + [0, 0, 0, 1]
    let code = unsafe HMACSHA512.code(for: message.span.bytes, key: password.span.bytes)
    #expect(hex(one) == hex(code))
    // Known answer for two iterations, from Python's hashlib.
    let two = unsafe HMACSHA512.pbkdf2(
      password: password.span.bytes, salt: salt.span.bytes, iterations: 2)
    #expect(
      hex(two) == "e1d9c16aa681708a45f5c7c4e215ceb66e011a2e9f0040713f18aefdb866d53c"
        + "f76cab2868a39b9f7840edce4fef5a82be67335c77a6068e04112754f27ccf4e")
  }
}
