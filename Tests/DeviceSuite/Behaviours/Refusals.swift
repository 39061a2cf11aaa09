import PRFDevice

extension Behaviour {
  /// A behaviour of a key with a fault: evaluating gives this error, and the key stays usable.
  private static func faulty(
    _ name: String, _ title: String, _ settings: [String], gives expected: PRFDeviceError
  ) -> Behaviour {
    Behaviour(name, title, key: [stored] + settings) { keys in
      let key = try await keys.open()
      try await expectError(expected, "the evaluation") {
        _ = try await key.evaluate(.suite([], .one), pin: keys.pin)
      }
      try expect(try await key.pinRetries(), is: 8, "PIN tries")
    }
  }

  static let refusals: [Behaviour] = [
    Behaviour(
      "no-hmac-secret", "A key without hmac-secret is refused before anything is made",
      key: ["no-hmac-secret"]
    ) { keys in
      let key = try await keys.open()
      try await expectError(.prfUnsupported, "enrolling it") {
        _ = try await keys.create(on: key, isDiscoverable: true, verifiedBy: keys.pin)
      }
      try expect(try await key.credentials(pin: keys.pin), is: [], "stored credentials")
    },
    faulty(
      "not-delivered", "hmac-secret advertised and not delivered is told",
      ["fault=hmac-secret-missing"], gives: .prfNotDelivered),
    faulty(
      "wrong-length", "An output of the wrong length is refused", ["fault=hmac-secret-length=64"],
      gives: .prfWrongLength(count: 64)),
    Behaviour(
      "ignores-salt", "An output that is the same for two salts is refused",
      key: ["fault=hmac-secret-ignores-salt"]
    ) { keys in
      let key = try await keys.open()
      let id = try await keys.credential(on: key)
      let expected = PRFDeviceError.protocolViolation("hmac-secret gives the same for every salt")
      try await expectError(expected, "the evaluation") {
        _ = try await key.evaluate(.suite([id], .one, .two), pin: keys.pin)
      }
    },
    faulty(
      "garbage", "An answer that is no CBOR is refused", ["fault=garbage:getAssertion"],
      gives: .protocolViolation("the answer is not the CBOR that CTAP prescribes")),
    faulty(
      "other-status", "A status that nobody knows keeps its number",
      ["fault=error:getAssertion=0xE1"], gives: .authenticator(code: 0xE1)),
    faulty(
      "uncounted-try", "A right PIN that is called wrong without costing a try is the key's fault",
      ["fault=error:getAssertion=0x31"],
      gives: .protocolViolation(
        "it called the PIN wrong, but counted no try. The key or its reader is at fault")),
  ]
}
