import SecretMemory
import Testing

/// Project Wycheproof's cases for ChaCha20-Poly1305.
@Suite("Wycheproof")
struct WycheproofTests {
  struct Vector: Decodable {
    let tcId: Int
    let key, iv, aad, msg, ct, tag, result: String
  }

  @Test
  func `ChaCha20-Poly1305: every valid case both ways, every invalid one refused`() throws {
    let tests = try vectors("wycheproof-chacha20-poly1305", of: Vector.self)
    for vector in tests { try Self.check(vector) }
    #expect(tests.count == 325)
  }

  private static func check(_ vector: Vector) throws {
    let key = try bytes(vector.key)
    let nonce = try bytes(vector.iv)
    let data = try bytes(vector.aad)
    let plaintext = try bytes(vector.msg)
    let message = try bytes(vector.ct) + bytes(vector.tag)
    switch vector.result {
    case "valid":
      #expect(
        try opened(message, key: key, nonce: nonce, data: data) == plaintext, "case \(vector.tcId)")
      #expect(
        try sealed(plaintext, key: key, nonce: nonce, data: data) == message, "case \(vector.tcId)")
    case "invalid":
      let error = #expect(throws: SecretMemoryError.self, "case \(vector.tcId)") {
        try opened(message, key: key, nonce: nonce, data: data)
      }
      // A nonce of another size never reaches the algorithm.
      if nonce.count == ChaCha20Poly1305.nonceSize {
        #expect(error == .authenticationFailed, "case \(vector.tcId)")
      }
    default:
      Issue.record("case \(vector.tcId): a verdict this test does not know: \(vector.result)")
    }
  }
}
