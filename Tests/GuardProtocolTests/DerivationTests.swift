import CSPP
import GuardTestSupport
import RistrettoVOPRF
import SecretMemory
import Testing

@testable import GuardProtocol

/// Masks and keys against Tests/reader/guard_protocol.py.
@Suite("Guard derivations")
struct DerivationTests {
  struct Vector: Decodable, Sendable, CustomTestStringConvertible {
    let keyId, nonce, guardKey, guardId, askKey, account, pin, salt, x: String
    let shared, share, output, maskedPin, login, maskedLogin: String
    let pinSecret, loginSecret, resetKey, recipient: String
    let sessionKey, loginNonce, releaseId, body, signature: String
    let memoryKib, passes, point: Int
    var testDescription: String { "point \(point)" }
    var slot: KeyID { KeyID(hex: keyId) ?? .of(0) }
    var guardID: GuardID { GuardID(hex: guardId) ?? .of(0) }
    var session: X25519Key { X25519Key(hex: sessionKey) ?? .of(0) }
  }

  static func vectors() throws -> [Vector] {
    try KnownAnswers<Vector>.cases("guards/derivations.json")
  }

  @Test func `Six cases, with PINs beyond ASCII`() throws {
    let vectors = try Self.vectors()
    #expect(vectors.count == 6)
    #expect(vectors.filter { unhex($0.pin).contains { $0 >= 0x80 } }.count == 3)
  }

  @Test(arguments: try vectors())
  func `IDs and the ask key`(_ vector: Vector) throws {
    let key = try #require(SigningKey(hex: vector.guardKey))
    #expect(GuardID(of: key).hex == vector.guardId)
    let ask = try GuardSigner.ask(
      nonce: unhex(vector.nonce), keyID: vector.slot, guardID: vector.guardID)
    let askKey = ask.publicKey
    #expect(askKey.hex == vector.askKey)
    #expect(GuardAccountID(of: askKey).hex == vector.account)
    #expect(ReleaseID(of: vector.session).hex == vector.releaseId)
    let nonce = LoginNonce.text(keyID: vector.slot, sessionKey: vector.session)
    #expect(Array(nonce.utf8) == unhex(vector.loginNonce))
    #expect(nonce.utf8.count == 43)
  }

  @Test(arguments: try vectors())
  func `x, the masks and the secrets`(_ vector: Vector) throws {
    let stretching = try PINStretching(
      salt: unhex(vector.salt), memoryKiB: vector.memoryKib, passes: vector.passes)
    let x = try stretching.derive(secret(unhex(vector.pin)))
    #expect(Hex.string(array(x)) == vector.x)
    let share = secret(unhex(vector.share))
    let output = secret(unhex(vector.output))
    let login = secret(unhex(vector.login))
    let maskedPIN = try ShareMask.pin(
      share, output: output, keyID: vector.slot, point: vector.point)
    #expect(Hex.string(array(maskedPIN)) == vector.maskedPin)
    let maskedLogin = try ShareMask.login(
      share, secret: login, keyID: vector.slot, point: vector.point)
    #expect(Hex.string(array(maskedLogin)) == vector.maskedLogin)
    // Masking twice gives the share.
    let back = try ShareMask.pin(
      maskedPIN, output: output, keyID: vector.slot, point: vector.point)
    #expect(array(back) == unhex(vector.share))
    let shared = secret(unhex(vector.shared))
    let pinSecret = try GuardedSecret.pin(shared: shared, stretched: x, keyID: vector.slot)
    #expect(Hex.string(array(pinSecret)) == vector.pinSecret)
    #expect(try GuardedSecret.recipient(of: pinSecret, keyID: vector.slot).hex == vector.recipient)
    let reset = try GuardSigner.reset(
      secret: pinSecret, keyID: vector.slot, guardID: vector.guardID)
    #expect(reset.publicKey.hex == vector.resetKey)
    let loginSecret = try GuardedSecret.login(
      shared: shared, nonce: unhex(vector.nonce), keyID: vector.slot)
    #expect(Hex.string(array(loginSecret)) == vector.loginSecret)
  }

  @Test(arguments: try vectors())
  func `Requests are signed as the protocol says`(_ vector: Vector) throws {
    let ask = try GuardSigner.ask(
      nonce: unhex(vector.nonce), keyID: vector.slot, guardID: vector.guardID)
    let body = unhex(vector.body)
    let own = GuardSignature(.evaluate, body: body, guardID: vector.guardID, by: ask)
    #expect(own.signatureText == vector.signature)
    let theirs = try GuardSignature(key: vector.askKey, signature: vector.signature)
    #expect(theirs == own)
    try theirs.verify(.evaluate, body: body, guardID: vector.guardID)
    // Another call, body, guard or key.
    let invalid = GuardProtocolError.invalidSignature
    for call in GuardCall.allCases where call != .evaluate {
      #expect(throws: invalid) { try theirs.verify(call, body: body, guardID: vector.guardID) }
    }
    #expect(throws: invalid) {
      try theirs.verify(.evaluate, body: body + [0], guardID: vector.guardID)
    }
    #expect(throws: invalid) { try theirs.verify(.evaluate, body: body, guardID: .of(7)) }
    let other = try GuardSignature(key: vector.guardKey, signature: vector.signature)
    #expect(throws: invalid) {
      try other.verify(.evaluate, body: body, guardID: vector.guardID)
    }
  }

  @Test func `Headers of another size or spelling, and keys that no signer can have`() throws {
    let invalid = GuardProtocolError.invalidSignature
    let key = String(repeating: "ab", count: 32)
    let signature = String(repeating: "cd", count: 64)
    _ = try GuardSignature(key: key, signature: signature)
    for (key, signature) in [
      ("", signature), (key.uppercased(), signature), (key + "00", signature), (key, ""),
      (key, signature.uppercased()), (key, signature + "00"), (key, String(signature.dropLast())),
    ] {
      #expect(throws: invalid) { try GuardSignature(key: key, signature: signature) }
    }
    // The neutral element signs many messages in a check that takes it.
    let weak = try GuardSignature(
      key: "01" + String(repeating: "00", count: 31),
      signature: "01" + String(repeating: "00", count: 63))
    #expect(throws: invalid) { try weak.verify(.status, body: [], guardID: .of(1)) }
  }

  @Test func `Spellings of one PIN give one x, and other PINs another`() throws {
    let stretching = try PINStretching(
      salt: [UInt8](repeating: 3, count: 16), memoryKiB: 8192, passes: 1)
    func x(_ text: String) throws -> [UInt8] {
      array(try stretching.derive(secret(Array(text.utf8))))
    }
    #expect(try x("pa\u{308}ss") == x("p\u{E4}ss"))
    #expect(try x("pass") != x("p\u{E4}ss"))
    #expect(try x("123456") != x("123457"))
  }

  @Test func `Parameters beyond their limits`() throws {
    let salt = [UInt8](repeating: 0, count: 16)
    func error(_ salt: [UInt8], _ memory: Int, _ passes: Int) -> GuardProtocolError? {
      do throws(GuardProtocolError) {
        _ = try PINStretching(salt: salt, memoryKiB: memory, passes: passes)
        return nil
      } catch {
        return error
      }
    }
    #expect(error(salt, 8192, 1) == nil)
    #expect(error(salt, 524_288, 16) == nil)
    #expect(error(salt, 8191, 1) == .invalidParameter("kdf_memory_kib"))
    #expect(error(salt, 524_289, 1) == .invalidParameter("kdf_memory_kib"))
    #expect(error(salt, 8192, 0) == .invalidParameter("kdf_passes"))
    #expect(error(salt, 8192, 17) == .invalidParameter("kdf_passes"))
    #expect(error(salt + [0], 8192, 1) == .invalidParameter("kdf_salt"))
    let stretching = try PINStretching(salt: salt, memoryKiB: 8192, passes: 1)
    for pin in [[], [UInt8](repeating: 0x31, count: 1025), [0x31, 0xFF], [0xC3]] {
      #expect(throws: GuardProtocolError.invalidParameter("pin")) {
        _ = try stretching.derive(secret(pin))
      }
    }
  }

  @Test func `Secrets, shares and points of another size`() throws {
    let short = secret([UInt8](repeating: 1, count: 31))
    let right = secret([UInt8](repeating: 1, count: 32))
    let output = secret([UInt8](repeating: 1, count: 64))
    let id = KeyID.of(1)
    let invalidShare = GuardProtocolError.invalidShare
    for point in [0, 17, 257, -1] {
      #expect(throws: invalidShare) {
        _ = try ShareMask.pin(right, output: output, keyID: id, point: point)
      }
    }
    #expect(throws: invalidShare) {
      _ = try ShareMask.pin(short, output: output, keyID: id, point: 1)
    }
    #expect(throws: GuardProtocolError.invalidParameter("output")) {
      _ = try ShareMask.pin(right, output: right, keyID: id, point: 1)
    }
    let invalidSecret = GuardProtocolError.invalidParameter("secret")
    #expect(throws: invalidSecret) {
      _ = try ShareMask.login(right, secret: output, keyID: id, point: 1)
    }
    #expect(throws: invalidSecret) {
      _ = try GuardedSecret.pin(shared: short, stretched: right, keyID: id)
    }
    #expect(throws: invalidSecret) {
      _ = try GuardedSecret.pin(shared: right, stretched: short, keyID: id)
    }
    #expect(throws: invalidSecret) {
      _ = try GuardedSecret.login(shared: right, nonce: [1], keyID: id)
    }
    #expect(throws: invalidSecret) { try GuardedSecret.recipient(of: short, keyID: id) }
    #expect(throws: invalidSecret) {
      _ = try GuardSigner.reset(secret: short, keyID: id, guardID: .of(1))
    }
    #expect(throws: GuardProtocolError.invalidParameter("guard_nonce")) {
      _ = try GuardSigner.ask(nonce: [1], keyID: id, guardID: .of(1))
    }
    #expect(throws: GuardProtocolError.invalidParameter("seed")) {
      _ = try GuardSigner(seed: secret([1]))
    }
  }
}
