import PRFDevice
import SecretMemory

extension Behaviour {
  static let credentials: [Behaviour] = [
    Behaviour(
      "create", "It makes a credential that takes no room on the key, verified by PIN", touches: 1
    ) { keys in
      let key = try await keys.open()
      let id = try await keys.credential(on: key)
      try expect(!id.bytes.isEmpty, "no ID")
      guard keys.route != .hardware else { return }
      try expect(try await key.credentials(pin: keys.pin), is: [], "stored credentials")
    },
    Behaviour(
      "create-discoverable", "It makes, lists and deletes a discoverable credential", touches: 1
    ) { keys in
      let key = try await keys.open()
      let before = try await key.credentials(pin: keys.pin)
      let made = try await keys.create(on: key, isDiscoverable: true, verifiedBy: keys.pin)
      try expect(made.isUserVerified, "the user was not verified")
      try expect(made.userID.count, is: Authenticator.userIDSize, "bytes of user ID")
      let listed = try await key.credentials(pin: keys.pin)
      let stored = try only(listed.filter { !before.contains($0) }, "new credentials")
      try expect(stored.id, is: made.id, "the listed ID")
      try expect(stored.rpID, is: PluggedKeys.rpID, "the relying party")
      try expect(stored.userID, is: made.userID, "the user ID")
      try await key.deleteCredential(made.id, pin: keys.pin)
      try expect(try await key.credentials(pin: keys.pin), is: before, "credentials afterwards")
      try await expectError(.noCredentials, "deleting it again") {
        try await key.deleteCredential(made.id, pin: keys.pin)
      }
    },
    Behaviour("exclude", "It is not enrolled twice: it knows an excluded credential", touches: 1) {
      keys in
      let key = try await keys.open()
      let id = try await keys.credential(on: key)
      try await expectError(.credentialExcluded, "enrolling again") {
        _ = try await keys.create(on: key, excluding: [id], verifiedBy: keys.pin)
      }
    },
    Behaviour(
      "exclude-long", "A list of excluded credentials that is too long for one message is split"
    ) { keys in
      let key = try await keys.open()
      let id = try await keys.credential(on: key)
      let others = unknown(30)
      try await expectError(.credentialExcluded, "enrolling again") {
        _ = try await keys.create(on: key, excluding: others + [id], verifiedBy: keys.pin)
      }
      let made = try await keys.create(on: key, excluding: others, verifiedBy: keys.pin)
      try expect(made.id != id, "the same credential")
    },
    Behaviour("accounts", "Every discoverable credential answers, with its name, in one touch") {
      keys in
      let key = try await keys.open()
      var names: [CredentialID: String] = [:]
      for name in ["one", "two", "three"] {
        let made = try await keys.create(
          on: key, user: name, isDiscoverable: true, verifiedBy: keys.pin)
        names[made.id] = name
      }
      let answers = try await key.evaluate(.suite([], .one), pin: keys.pin)
      try expect(Set(answers.map(\.credentialID)), is: Set(names.keys), "who answered")
      for answer in answers {
        try expect(answer.userName, is: names[answer.credentialID], "the user name")
      }
      try expect(Set(answers.map { $0.first().bytes }).count, is: 3, "different outputs")
    },
    Behaviour("store-full", "A key without room says so", key: ["capacity=1"]) { keys in
      let key = try await keys.open()
      _ = try await keys.create(on: key, isDiscoverable: true, verifiedBy: keys.pin)
      try await expectError(.keyStoreFull, "one more") {
        _ = try await keys.create(on: key, isDiscoverable: true, verifiedBy: keys.pin)
      }
      _ = try await keys.credential(on: key)
    },
    Behaviour(
      "no-management", "A key that cannot list its credentials says so", key: ["no-cred-mgmt"]
    ) { keys in
      let key = try await keys.open()
      try await expectError(.credentialManagementUnsupported, "listing") {
        _ = try await key.credentials(pin: keys.pin)
      }
    },
  ]

  /// IDs that no key has created.
  static func unknown(_ count: Int) -> [CredentialID] {
    (0..<count).map { CredentialID([UInt8](repeating: UInt8($0), count: 48)) }
  }
}
