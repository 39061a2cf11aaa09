import Crypto
import FoundationEssentials
import SecretMemory
import TestSupport
import Testing

/// libsodium against swift-crypto (BoringSSL): two implementations that share no code must agree.
@Suite("Agreement with swift-crypto")
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
      let theirs = try ChaChaPoly.seal(
        plaintext, using: SymmetricKey(data: key), nonce: ChaChaPoly.Nonce(data: nonce),
        authenticating: data)
      #expect(ours == Array(theirs.ciphertext + theirs.tag), "seed \(seed), round \(round)")
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
      let theirs = HKDF<Crypto.SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: ikm), salt: salt, info: info, outputByteCount: count)
      let same = unsafe theirs.withUnsafeBytes { unsafe Array($0) == ours }
      #expect(same, "seed \(seed), round \(round)")
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `HMAC-SHA-256, SHA-256 and X25519`(seed: UInt64) throws {
    var random = SeededGenerator(seed: 2000 + seed)
    for round in 0..<100 {
      let key = random.bytes(upTo: 150)
      let message = random.bytes(upTo: 500)
      let code = computeHMAC(message, key: key)
      let theirs = HMAC<Crypto.SHA256>.authenticationCode(
        for: message, using: SymmetricKey(data: key))
      #expect(code == Array(theirs), "seed \(seed), round \(round)")
      #expect(
        SecretMemory.SHA256.hash(message) == Array(Crypto.SHA256.hash(data: message)),
        "seed \(seed), round \(round)")
      let scalar = random.bytes(32)
      let point = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: scalar).publicKey
      #expect(
        try computeX25519(scalar) == Array(point.rawRepresentation),
        "seed \(seed), round \(round)")
    }
  }
}
