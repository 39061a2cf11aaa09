import SecretMemory
import Testing

/// Sizes and values that must be refused with an error, not a crash.
@Suite("Refusals")
struct RefusalTests {
  @Test(arguments: [(31, 12), (33, 12), (0, 12), (32, 11), (32, 24), (32, 0)])
  func `AEAD: keys and nonces of another size`(key: Int, nonce: Int) {
    let message = [UInt8](repeating: 1, count: 40)
    let key = [UInt8](repeating: 0, count: key)
    let nonce = [UInt8](repeating: 0, count: nonce)
    #expect(throws: SecretMemoryError.self) { try sealed(message, key: key, nonce: nonce) }
    let error = #expect(throws: SecretMemoryError.self) {
      try opened(message, key: key, nonce: nonce)
    }
    #expect(error != .authenticationFailed)
  }

  @Test(arguments: 0..<16)
  func `AEAD: a message too short for a tag`(count: Int) {
    #expect(throws: SecretMemoryError.authenticationFailed) {
      try opened(
        Array(repeating: 0, count: count), key: Array(repeating: 0, count: 32),
        nonce: Array(repeating: 0, count: 12))
    }
  }

  @Test
  func `AEAD: the empty message seals and opens`() throws {
    let key = Randomness.bytes(count: 32)
    let nonce = Randomness.bytes(count: 12)
    let message = try sealed([], key: key, nonce: nonce)
    #expect(message.count == ChaCha20Poly1305.tagSize)
    #expect(try opened(message, key: key, nonce: nonce).isEmpty)
  }

  @Test
  func `AEAD: another key, nonce or associated data, each alone`() throws {
    let key = Randomness.bytes(count: 32)
    let nonce = [UInt8](repeating: 7, count: 12)
    let message = try sealed(Array("mnemonic".utf8), key: key, nonce: nonce, data: [1, 2, 3])
    func refused(_ key: [UInt8], _ nonce: [UInt8], _ data: [UInt8]) -> Bool {
      do {
        _ = try opened(message, key: key, nonce: nonce, data: data)
        return false
      } catch {
        return error == .authenticationFailed
      }
    }
    #expect(!refused(key, nonce, [1, 2, 3]))
    #expect(refused(Randomness.bytes(count: 32), nonce, [1, 2, 3]))
    #expect(refused(key, Array(repeating: 8, count: 12), [1, 2, 3]))
    #expect(refused(key, nonce, [1, 2]))
    #expect(refused(key, nonce, []))
  }

  @Test
  func `A reused buffer holds nothing after a failure, and its next message after a success`()
    throws
  {
    let key = SecretBytes.random(count: 32)
    let nonce = [UInt8](repeating: 1, count: 12)
    let long = [UInt8](repeating: 0xaa, count: 64)
    let short = [UInt8](repeating: 0xbb, count: 3)
    let sealedLong = try sealed(long, key: array(key), nonce: nonce)
    let sealedShort = try sealed(short, key: array(key), nonce: nonce)
    var buffer = SecretBytes(zeroed: 64)
    unsafe try ChaCha20Poly1305.open(sealedLong.span.bytes, key: key, nonce: nonce, into: &buffer)
    #expect(array(buffer) == long)

    var broken = sealedLong
    broken[0] ^= 1
    do {
      unsafe try ChaCha20Poly1305.open(broken.span.bytes, key: key, nonce: nonce, into: &buffer)
      Issue.record("a changed message was opened")
    } catch {
      #expect(error == .authenticationFailed)
    }
    #expect(buffer.count == 0)
    buffer.resize(to: 64)
    #expect(array(buffer) == Array(repeating: 0, count: 64), "the old plaintext is gone")

    unsafe try ChaCha20Poly1305.open(sealedShort.span.bytes, key: key, nonce: nonce, into: &buffer)
    #expect(array(buffer) == short)
  }

  @Test(
    arguments: [
      (7, 3), (0, 3), (-1, 3), (4_194_305, 3), (Int.max, 3), (64, 0), (64, 65), (64, Int.min),
    ])
  func `Argon2id: cost outside the bounds`(memoryKiB: Int, passes: Int) {
    #expect(throws: SecretMemoryError.self) {
      _ = try Argon2id.Parameters(memoryKiB: memoryKiB, passes: passes)
    }
  }

  @Test(arguments: [(15, 32), (17, 32), (0, 32), (16, 15), (16, 1025), (16, -1)])
  func `Argon2id: salt and output sizes`(salt: Int, count: Int) {
    #expect(throws: SecretMemoryError.self) {
      try computeArgon2id(
        [1], salt: Array(repeating: 0, count: salt), memoryKiB: 8, passes: 1, count: count)
    }
  }

  @Test(arguments: [0, 31, 33])
  func `X25519: a secret of another size`(count: Int) {
    #expect(throws: SecretMemoryError.self) { try computeX25519(Array(repeating: 0, count: count)) }
  }
}
