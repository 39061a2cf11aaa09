import FoundationEssentials
import OpenSSLCrypto
import SecretMemory
import TestSupport
import Testing

/// libsodium against OpenSSL: two implementations that share no code must agree.
@Suite("Agreement with OpenSSL")
struct DifferentialTests {
  @Test(arguments: 0..<8 as Range<UInt64>)
  func `ChaCha20-Poly1305, both ways, and one flipped bit refused`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<250 {
      let key = random.bytes(32)
      let nonce = random.bytes(12)
      let data = random.bytes(upTo: 300)
      let plaintext = random.bytes(upTo: 700)
      let ours = try sealed(plaintext, key: key, nonce: nonce, data: data)
      let theirs = OpenSSL.seal(plaintext, key: key, nonce: nonce, authenticating: data)
      #expect(ours == theirs, "seed \(seed), round \(round)")
      #expect(
        try opened(ours, key: key, nonce: nonce, data: data) == plaintext,
        "seed \(seed), round \(round)")

      var changed = ours
      let bit = Int.random(in: 0..<(changed.count * 8), using: &random)
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: SecretMemoryError.authenticationFailed, "seed \(seed), round \(round)") {
        try opened(changed, key: key, nonce: nonce, data: data)
      }
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `HKDF-SHA-256, every output size class`(seed: UInt64) {
    var random = SeededGenerator(seed: 1000 + seed)
    for round in 0..<250 {
      let ikm = random.bytes(upTo: 200)
      let salt = random.bytes(upTo: 100)
      let info = random.bytes(upTo: 200)
      // The largest output RFC 5869 allows comes up too.
      let count = round == 0 ? 255 * 32 : Int.random(in: 1...200, using: &random)
      let ours = computeHKDF(ikm: ikm, salt: salt, info: info, count: count)
      #expect(
        ours == OpenSSL.hkdf(ikm, salt: salt, info: info, count: count),
        "seed \(seed), round \(round)")
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `HMAC-SHA-256, SHA-256 and X25519`(seed: UInt64) throws {
    var random = SeededGenerator(seed: 2000 + seed)
    for round in 0..<100 {
      let key = random.bytes(upTo: 150)
      let message = random.bytes(upTo: 500)
      #expect(
        computeHMAC(message, key: key) == OpenSSL.hmac(message, key: key),
        "seed \(seed), round \(round)")
      #expect(
        SHA256.hash(message) == OpenSSL.sha256(message),
        "seed \(seed), round \(round)")
      let scalar = random.bytes(32)
      #expect(
        try computeX25519(scalar) == Curve25519Key(.agreement, scalar).publicKey,
        "seed \(seed), round \(round)")
    }
  }
}
