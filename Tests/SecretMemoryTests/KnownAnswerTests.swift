import SecretMemory
import Testing

/// The numbers that the specifications print, from Tests/Vectors/crypto.
@Suite("Known answers")
struct KnownAnswerTests {
  struct HKDFCase: Decodable {
    let name, ikm, salt, info: String
    let count: Int
    let okm: String
  }

  @Test
  func `RFC 5869, every SHA-256 case`() throws {
    let cases = try vectors("hkdf-sha256", of: HKDFCase.self)
    #expect(cases.count == 3)
    for vector in cases {
      let okm = computeHKDF(
        ikm: try bytes(vector.ikm), salt: try bytes(vector.salt), info: try bytes(vector.info),
        count: vector.count)
      #expect(hex(okm) == vector.okm, "\(vector.name)")
    }
  }

  struct AEADCase: Decodable {
    let name, key, nonce, associatedData, plaintext, sealed: String
  }

  @Test
  func `RFC 8439, section 2.8.2 and appendix A.5, both ways`() throws {
    let cases = try vectors("chacha20-poly1305", of: AEADCase.self)
    #expect(cases.count == 2)
    for vector in cases {
      let key = try bytes(vector.key)
      let nonce = try bytes(vector.nonce)
      let data = try bytes(vector.associatedData)
      let plaintext = try bytes(vector.plaintext)
      let result = try sealed(plaintext, key: key, nonce: nonce, data: data)
      #expect(hex(result) == vector.sealed, "\(vector.name)")
      #expect(try opened(result, key: key, nonce: nonce, data: data) == plaintext, "\(vector.name)")
    }
  }

  struct HMACCase: Decodable {
    let name, key, message, code: String
  }

  @Test
  func `RFC 4231, every case`() throws {
    let cases = try vectors("hmac-sha256", of: HMACCase.self)
    #expect(cases.count == 7)
    for vector in cases {
      let key = try bytes(vector.key)
      let message = try bytes(vector.message)
      let code = computeHMAC(message, key: key)
      #expect(code.count == HMACSHA256.codeSize)
      // One case of the RFC prints a truncated code.
      #expect(hex(code).prefix(vector.code.count) == vector.code, "\(vector.name)")
      let guarded = secret(key)
      let again = HMACSHA256.code(for: message, key: guarded)
      #expect(hex(again) == hex(code), "\(vector.name)")
    }
  }

  struct DigestCase: Decodable {
    let name, message: String
    let repeated: Int
    let digest: String
  }

  @Test
  func `FIPS 180-4 sample messages, at once and in pieces`() throws {
    let cases = try vectors("sha256", of: DigestCase.self)
    #expect(cases.count == 5)
    for vector in cases {
      let piece = try bytes(vector.message)
      let message = [UInt8](repeatElement(piece, count: vector.repeated).joined())
      #expect(hex(SHA256.hash(message)) == vector.digest, "\(vector.name)")
      var pieces = SHA256()
      // 61 shares no factor with the block size of 64: every offset comes up.
      for start in stride(from: 0, to: message.count, by: 61) {
        let part = Array(message[start..<min(start + 61, message.count)])
        unsafe pieces.update(part.span.bytes)
      }
      #expect(hex(pieces.finalize()) == vector.digest, "\(vector.name) in pieces")
    }
  }

  struct Argon2Case: Decodable {
    let name, password, salt: String
    let memoryKiB, passes: Int
    let key: String
  }

  @Test
  func `Argon2id as the reference implementation computes it`() throws {
    let cases = try vectors("argon2id", of: Argon2Case.self)
    #expect(cases.count == 6)
    for vector in cases {
      let key = try computeArgon2id(
        try bytes(vector.password), salt: try bytes(vector.salt), memoryKiB: vector.memoryKiB,
        passes: vector.passes, count: vector.key.utf8.count / 2)
      #expect(hex(key) == vector.key, "\(vector.name)")
    }
  }

  struct X25519Case: Decodable {
    let name, secret, publicKey: String
  }

  @Test
  func `RFC 7748, public keys`() throws {
    let cases = try vectors("x25519", of: X25519Case.self)
    #expect(cases.count == 3)
    for vector in cases {
      let point = try computeX25519(bytes(vector.secret))
      #expect(hex(point) == vector.publicKey, "\(vector.name)")
    }
  }
}
