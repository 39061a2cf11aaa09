import PRFDevice
import SecretMemory
import TestSupport

extension Behaviour {
  /// A key that has a credential from the start, for keys that create none.
  static let stored = "credential=\(PluggedKeys.rpID)/" + String(repeating: "5a", count: 32)

  static let opening: [Behaviour] = [
    Behaviour("info", "It is opened and says what it can do", touches: 0) { keys in
      let info = try await keys.open().info()
      try expect(info.versions.contains { $0.hasPrefix("FIDO_2") }, "versions: \(info.versions)")
      try expect(info.supportsPRF, "no hmac-secret: \(info.extensions)")
      try expect(!info.pinProtocols.isEmpty, "no PIN protocol")
      try expect(info.isPINSet, "no PIN set")
    },
    Behaviour("no-key", "No key is told as such", keys: [], needs: [.list]) { _ in
      try expect(try await AuthenticatorList.connected(), is: [], "the keys")
      try await expectError(.noAuthenticator, "waiting") {
        _ = try await AuthenticatorList.waitForOne(upTo: .milliseconds(100))
      }
    },
    Behaviour(
      "plugged-in-later", "A key that is plugged in while waiting is used",
      keys: [["pin=\(PluggedKeys.pinText)", "plug-after-ms=1500"]], needs: [.list]
    ) { keys in
      // On a slow machine the key may be connected already.
      let found = try await AuthenticatorList.waitForOne(upTo: Backstop.duration)
      try expect(found.count, is: 1, "keys")
      try expect(try await keys.open().pinRetries(), is: 8, "PIN tries")
    },
    Behaviour(
      "listed", "The list tells it apart and finds it by its path", needs: [.list], touches: 0
    ) { keys in
      let key = try only(try await keys.descriptors(), "keys")
      try expect(try await AuthenticatorList.authenticator(at: key.path), is: key, "by path")
      try await expectError(.noAuthenticator, "a path that is none") {
        _ = try await AuthenticatorList.authenticator(at: key.path + "7")
      }
    },
    Behaviour(
      "ctap-2.0", "A CTAP 2.0 key without pinUvAuthToken and credProtect works",
      key: ["versions=FIDO_2_0", "pin-protocols=1", "no-pin-uv-auth-token", "no-cred-protect"]
    ) { keys in
      let key = try await keys.open()
      try expect(try await key.info().versions, is: ["FIDO_2_0"], "versions")
      try await usual(keys, key)
    },
    Behaviour(
      "ctap-2.1-draft", "A key of CTAP 2.1's draft works",
      key: ["versions=FIDO_2_0+FIDO_2_1_PRE", "no-pin-uv-auth-token"]
    ) { keys in try await usual(keys, keys.open()) },
  ]

  /// The usual work on any kind of key: enrolment and use.
  static func usual(_ keys: PluggedKeys, _ key: Authenticator) async throws {
    let made = try await keys.create(
      on: key, isDiscoverable: true, protection: .userVerificationOptionalWithCredentialID,
      verifiedBy: keys.pin)
    try expect(made.isUserVerified, "the user was not verified")
    let answer = try await key.evaluate(.suite([made.id], .one, .two), pin: keys.pin)
    let again = try await key.evaluate(.suite([], .one, .two), pin: keys.pin)
    let (first, second) = (try only(answer, "answers"), try only(again, "answers"))
    try expect(first.credentialID == made.id, "another credential answered")
    try expect(first.first().isEqual(to: second.first()), "the output changed")
    try expect(first.second()?.bytes == second.second()?.bytes, "the second output changed")
  }
}
