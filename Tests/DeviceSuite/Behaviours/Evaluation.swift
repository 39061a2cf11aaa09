import PRFDevice
import SecretMemory
import VirtualKey

extension Behaviour {
  /// A credential with a chosen CredRandom; the outputs below were computed with Python's hmac.
  private static let known =
    "credential=\(PluggedKeys.rpID)/000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

  static let evaluation: [Behaviour] = [
    Behaviour(
      "evaluate", "The output is 32 bytes, the user verified, the same every time", touches: 2
    ) { keys in
      let key = try await keys.open()
      let id = try await keys.credential(on: key)
      let first = try only(try await key.evaluate(.suite([id], .one), pin: keys.pin), "answers")
      let second = try only(try await key.evaluate(.suite([id], .one), pin: keys.pin), "answers")
      try expect(first.credentialID == id && !first.hasSecond, "another answer")
      try expect(first.first().count, is: 32, "bytes")
      try expect(first.first().isEqual(to: second.first()), "the output changed")
    },
    Behaviour(
      "evaluate-two", "Two inputs in one touch give the two outputs that each gives", touches: 2
    ) { keys in
      let key = try await keys.open()
      let id = try await keys.credential(on: key)
      func answer(_ first: PRFInput, _ second: PRFInput) async throws -> PRFEvaluation {
        try only(try await key.evaluate(.suite([id], first, second), pin: keys.pin), "answers")
      }
      let straight = try await answer(.one, .two)
      let crossed = try await answer(.two, .one)
      try expect(straight.first().bytes == crossed.second()?.bytes, "input 1 gave two outputs")
      try expect(straight.second()?.bytes == crossed.first().bytes, "input 2 gave two outputs")
      try expect(!straight.first().isEqual(to: crossed.first()), "both inputs gave one output")
    },
    Behaviour(
      "webauthn-salt", "A WebAuthn input is hashed as browsers do it; a raw salt is not",
      touches: 1
    ) { keys in
      let key = try await keys.open()
      let id = try await keys.credential(on: key)
      // SHA-256("WebAuthn PRF" 0x00 "keybackup"), computed with Python.
      let salt = try bytes("338027f5e2b91c7c934d96a24c654209f19ace63db59f0a4195eb4f130e4b811")
      let request = PRFRequest.suite(
        [id], .webAuthn(Array("keybackup".utf8)), try PRFInput.raw(salt))
      let answer = try only(try await key.evaluate(request, pin: keys.pin), "answers")
      try expect(answer.first().bytes == answer.second()?.bytes, "the outputs differ")
    },
    Behaviour("known-answer", "Known CredRandom and input give the known output", key: [known]) {
      keys in
      let request = PRFRequest.suite(
        [], .webAuthn(Array("keybackup".utf8)), try PRFInput.raw(Array(32..<64)))
      let answer = try only(try await keys.open().evaluate(request, pin: keys.pin), "answers")
      try expect(
        answer.first().bytes,
        is: try bytes("7a5689ef846bba2c0a129fec0b6533c6f833918fa8407fc369b837cdd94502fe"),
        "the first output")
      try expect(
        answer.second()?.bytes,
        is: try bytes("62215de7bddcea7e2c4047ff6bb94f8d18262fc8b3f3648134bb7d44158ff84d"),
        "the second output")
    },
    Behaviour("other-relying-party", "A credential answers for its relying party only") { keys in
      let key = try await keys.open()
      let id = try await keys.credential(on: key)
      let request = PRFRequest(rpID: "another:", credentialIDs: [id], first: .one)
      try await expectError(.noCredentials, "another relying party") {
        _ = try await key.evaluate(request, pin: keys.pin)
      }
    },
  ]

  private static func bytes(_ hexadecimal: String) throws -> [UInt8] {
    guard let bytes = [UInt8](hexadecimal: hexadecimal) else {
      throw Unmet("no hexadecimal digits")
    }
    return bytes
  }
}
