import PRFDevice
import SecretMemory

extension Behaviour {
  static let verification: [Behaviour] = [
    Behaviour("no-pin-given", "Nothing is evaluated without a way to verify the user") { keys in
      let key = try await keys.open()
      try await expectError(.pinRequired, "no PIN") {
        _ = try await key.evaluate(.suite([], .one), pin: nil)
      }
    },
    Behaviour(
      "fingerprint", "A fingerprint in place of the PIN gives the same output",
      key: ["built-in-uv"]
    ) { keys in
      let key = try await keys.open()
      let made = try await keys.create(on: key, verifiedBy: nil)
      try expect(made.isUserVerified, "the user was not verified")
      let request = PRFRequest.suite([made.id], .one)
      let byFinger = try only(try await key.evaluate(request, pin: nil), "answers")
      let byPIN = try only(try await key.evaluate(request, pin: keys.pin), "answers")
      try expect(byFinger.first().isEqual(to: byPIN.first()), "the outputs differ")
    },
    Behaviour(
      "fingerprint-blocked", "A blocked fingerprint reader says so, and the PIN still works",
      key: ["built-in-uv", stored, "fault=error:getAssertion=0x3C@1"]
    ) { keys in
      let key = try await keys.open()
      try await expectError(.uvBlocked, "the fingerprint") {
        _ = try await key.evaluate(.suite([], .one), pin: nil)
      }
      _ = try only(try await key.evaluate(.suite([], .one), pin: keys.pin), "answers by PIN")
    },
    Behaviour("always-uv", "A key that always verifies its user works", key: ["always-uv"]) {
      keys in
      let key = try await keys.open()
      try expect(
        try await key.holds(unknown(1), rpID: PluggedKeys.rpID), is: .maybe, "whether it holds it")
      try await usual(keys, key)
    },
    Behaviour(
      "uv-flag-missing", "An answer that does not claim verification is discarded",
      key: [stored, "fault=uv-flag-missing"]
    ) { keys in
      let key = try await keys.open()
      try await expectError(.userVerificationMissing, "the answer") {
        _ = try await key.evaluate(.suite([], .one), pin: keys.pin)
      }
    },
  ]
}
