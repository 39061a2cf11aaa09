import PRFDevice
import Synchronization

extension Behaviour {
  private static let right = "pin=\(PluggedKeys.pinText)"

  static let pins: [Behaviour] = [
    Behaviour("wrong-pin", "A wrong PIN costs one try, the right one gives it back") { keys in
      let key = try await keys.open()
      let wrong = try PluggedKeys.makePIN("0000")
      try await expectError(.pinInvalid(retriesLeft: 7), "a wrong PIN") {
        _ = try await key.credentials(pin: wrong)
      }
      try expect(try await key.pinRetries(), is: 7, "PIN tries")
      _ = try await key.credentials(pin: keys.pin)
      try expect(try await key.pinRetries(), is: 8, "PIN tries after the right one")
    },
    Behaviour("pin-auth-blocked", "Three wrong PINs block it until it is plugged in again") {
      keys in
      let key = try await keys.open()
      let wrong = try PluggedKeys.makePIN("0000")
      for expected in [
        PRFDeviceError.pinInvalid(retriesLeft: 7), .pinInvalid(retriesLeft: 6),
        .pinAuthBlocked(retriesLeft: 5),
      ] {
        try await expectError(expected, "a wrong PIN") {
          _ = try await key.credentials(pin: wrong)
        }
      }
      try await expectError(.pinAuthBlocked(retriesLeft: 5), "the right PIN") {
        _ = try await key.credentials(pin: keys.pin)
      }
      try expect(try await key.pinRetries(), is: 5, "PIN tries")
    },
    Behaviour(
      "pin-blocked", "The last wrong PIN blocks it; then none is sent", key: ["pin-retries=1"]
    ) { keys in
      let key = try await keys.open()
      let wrong = try PluggedKeys.makePIN("0000")
      for pin in [wrong, keys.pin] {
        try await expectError(.pinBlocked, "a PIN") { _ = try await key.credentials(pin: pin) }
      }
      try expect(try await key.pinRetries(), is: 0, "PIN tries")
    },
    Behaviour("pin-set", "A PIN is set and changed", keys: [[]]) { keys in
      let key = try await keys.open()
      try await expectError(.pinNotSet, "the tries of no PIN") { _ = try await key.pinRetries() }
      try await expectError(.pinNotSet, "a PIN that was not set") {
        _ = try await key.credentials(pin: keys.pin)
      }
      try await expectError(.pinNotSet, "changing a PIN that was not set") {
        try await key.changePIN(from: keys.pin, to: keys.pin)
      }
      try await key.setPIN(keys.pin)
      try expect(try await key.info().isPINSet, "the PIN is not set")
      let other = try PluggedKeys.makePIN("caf\u{E9}s")
      try await expectError(.pinAlreadySet, "setting it again") { try await key.setPIN(other) }
      try await key.changePIN(from: keys.pin, to: other)
      _ = try await key.credentials(pin: other)
      try await expectError(.pinInvalid(retriesLeft: 7), "the old PIN") {
        _ = try await key.credentials(pin: keys.pin)
      }
    },
    Behaviour(
      "pin-length", "A PIN shorter than the key wants is refused", keys: [["min-pin-length=6"]]
    ) { keys in
      let key = try await keys.open()
      try expect(try await key.info().minimumPINLength, is: 6, "the least length")
      try await expectError(.pinPolicyViolation(.authenticatorPolicy), "5 digits") {
        try await key.setPIN(try PluggedKeys.makePIN("12345"))
      }
      try await key.setPIN(try PluggedKeys.makePIN("123456"))
    },
    Behaviour(
      "pin-change-required", "A PIN that must be changed first is not called wrong",
      key: ["force-pin-change"]
    ) { keys in
      let key = try await keys.open()
      try await expectError(.pinChangeRequired, "the PIN") {
        _ = try await key.credentials(pin: keys.pin)
      }
      try expect(try await key.pinRetries(), is: 8, "PIN tries")
      try await expectError(.pinInvalid(retriesLeft: 7), "a wrong PIN") {
        _ = try await key.credentials(pin: try PluggedKeys.makePIN("0000"))
      }
      try await expectError(.pinPolicyViolation(.authenticatorPolicy), "the same PIN again") {
        try await key.changePIN(from: keys.pin, to: keys.pin)
      }
      let other = try PluggedKeys.makePIN("567890")
      try await key.changePIN(from: keys.pin, to: other)
      _ = try await key.credentials(pin: other)
    },
    Behaviour(
      "pin-change-policy", "A PIN that must be changed first is told by a policy violation, too",
      key: ["force-pin-change-by-policy"]
    ) { keys in
      let key = try await keys.open()
      try await expectError(.pinChangeRequired, "the PIN") {
        _ = try await key.credentials(pin: keys.pin)
      }
      try expect(try await key.pinRetries(), is: 8, "PIN tries")
    },
    Behaviour(
      "touch-announced", "A touch is asked for once the PIN was accepted, and not before",
      key: [stored]
    ) { keys in
      let key = try await keys.open()
      let asked = Mutex(0)
      let announce: @Sendable () -> Void = { asked.withLock { $0 += 1 } }
      try await expectError(.pinInvalid(retriesLeft: 7), "a wrong PIN") {
        _ = try await key.evaluate(
          .suite([], .one), pin: try PluggedKeys.makePIN("0000"), announcingTouch: announce)
      }
      try expect(asked.withLock { $0 }, is: 0, "touches asked for after a wrong PIN")
      _ = try await key.evaluate(.suite([], .one), pin: keys.pin, announcingTouch: announce)
      try expect(asked.withLock { $0 }, is: 1, "touches asked for after the right one")
    },
    Behaviour("pin-unsupported", "A key that cannot have a PIN says so", keys: [["no-client-pin"]])
    { keys in
      let key = try await keys.open()
      try expect(try await !key.info().supportsPIN, "it says that it can")
      try await expectError(.pinUnsupported, "setting one") { try await key.setPIN(keys.pin) }
      try await expectError(.pinUnsupported, "its tries") { _ = try await key.pinRetries() }
    },
    Behaviour("pin-protocol-1", "PIN protocol 1 alone", key: ["pin-protocols=1"]) { keys in
      let key = try await keys.open()
      try expect(try await key.info().pinProtocols, is: [1], "PIN protocols")
      try await usual(keys, key)
    },
    Behaviour("pin-protocol-2", "PIN protocol 2 alone", key: ["pin-protocols=2"]) { keys in
      let key = try await keys.open()
      try expect(try await key.info().pinProtocols, is: [2], "PIN protocols")
      try await usual(keys, key)
    },
  ]
}
