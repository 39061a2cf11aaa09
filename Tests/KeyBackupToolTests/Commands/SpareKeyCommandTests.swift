import FoundationEssentials
import Testing

/// Several keys on one backup: enrolling, losing, rotating and removing them.
@Suite struct SpareKeyCommandTests {
  /// Key slots that this computer remembers are named where their files are gone.
  @Test func `Lost files of key slots are named`() async throws {
    let keys = try await ThreeKeys()
    let box = keys.box
    try await box.keybackup(["key", "repair"], key: keys.only("blue"))
    let green = try #require(try await keys.ids("green").first)
    for file in Files.tree(try keys.place + "/keybackup/keys") {
      try Files.remove(try keys.place + "/keybackup/keys/" + file)
    }
    let closed = try await box.keybackup(["restore"], key: keys.only("green"), expecting: nil)
    expectFailure(
      closed, 80, says: "\"green\" (keybackup/keys/\(green).json)", "keybackup key repair",
      "recovery code", "sync program")
    let status = try await box.keybackup(["status"], key: nil, pin: .none, expecting: 88)
    #expect(status.out.contains("\(green).json"), "\(status.out)")
    let json = try await box.keybackup(["status", "--json"], key: nil, pin: .none, expecting: 88)
    #expect(try json.json()["lost_ways"].items.count == 3)
    // If the envelope is gone too, nothing at all opens it.
    let envelopes = try keys.place + "/master-key"
    try Files.move(envelopes, to: box.root + "/master-key")
    for command in ["restore", "status"] {
      let outcome = try await box.keybackup(
        [command], key: keys.only("blue"), pin: command == "status" ? .none : .file,
        expecting: nil)
      expectFailure(outcome, 75, says: "\(green).json", "keybackup key repair")
    }
    try Files.move(box.root + "/master-key", to: envelopes)
    try await box.keybackup(["key", "repair"], key: keys.only("blue"))
    let again = try await box.keybackup(["status"], key: nil, pin: .none)
    #expect(!again.out.contains(" are gone"), "\(again.out)")
    try await keys.expectRestores(with: "green")
  }

  /// Whatever is lost, each remaining key, or the recovery kit, restores everything.
  ///
  /// Each key is rotated with one touch, and each except the last is removed.
  @Test func `The whole life of three keys and a kit`() async throws {
    let keys = try await ThreeKeys()
    let box = keys.box
    let kit = try await keys.makeKit(openedWith: "green")
    try await box.keybackup(["status"], key: nil, pin: .none)
    for name in ThreeKeys.names { try await keys.expectRestores(with: name) }
    try await keys.expectRestores(withKit: kit)

    let wallets = try keys.wallets()
    for name in ThreeKeys.names { try await rotate(name, keys) }
    #expect(try keys.wallets() == wallets, "rotation touched wallets")
    for name in ThreeKeys.names { try await keys.expectRestores(with: name) }

    // The first key, which owns the CSPP envelope.
    try await remove("blue", openedWith: "green", keys)
    try await expectReadByAnother(with: "green", keys, hasEnvelope: true)
    try await expectReadByAnother(with: "red", keys, hasEnvelope: false)
    try await remove("green", openedWith: "red", keys)
    try await keys.expectRestores(with: "red")
    try await keys.expectRestores(withKit: kit)
    // This computer has not seen that change.
    try await box.keybackup(["status"], key: nil, pin: .none, expecting: 88)
    try await box.keybackup(
      ["recovery-kit", "test", "--recovery-code-file", kit], key: ["--no-key"], pin: .none)
    try await box.keybackup(["status"], key: nil, pin: .none)
    try await box.keybackup(["key", "remove", "paper", "--yes"], key: keys.only("red"))
    try await expectReadByAnother(with: "red", keys, hasEnvelope: true)
    let risk = try await box.keybackup(["status"], key: nil, pin: .none, expecting: 88)
    #expect(risk.out.contains("keybackup key add"))
    let last = try await box.keybackup(
      ["key", "remove", "red", "--yes"], key: keys.only("red"), expecting: nil)
    expectFailure(last, 64, says: "last way", "--last")
  }

  private func rotate(_ name: String, _ keys: ThreeKeys) async throws {
    let box = keys.box
    let old = try #require(try await keys.ids(name).first)
    let trace = try await box.traced {
      let json = try await box.keybackup(["rotate", "--json"], key: keys.only(name)).json()
      #expect(json["replaces"].text == old)
    }
    let mine = SeveralKeysTests.commands(trace, "")
    #expect(trace.count { $0.hasSuffix("TOUCH") } == 1, "\(trace)")
    #expect(
      trace.count { $0.contains("getPinToken") || $0.contains("UvAuthToken") } <= 1, "\(mine)")
    #expect(mine.count { $0.contains("getAssertion") } <= 2, "\(mine)")
    // Both open it, and count as one.
    #expect(try await keys.ids(name).count == 2)
    let repaired = try await box.traced {
      let json = try await box.keybackup(["key", "repair", "--json"], key: keys.only(name)).json()
      #expect(json["removed"].items.compactMap(\.text) == [old])
    }
    #expect(repaired.count { $0.hasSuffix("TOUCH") } == 1, "\(repaired)")
    #expect(try await keys.ids(name).count == 1)
  }

  private func remove(
    _ name: String, openedWith other: String, _ keys: ThreeKeys
  ) async throws {
    let box = keys.box
    // The key itself is not accepted.
    let own = try await box.keybackup(
      ["key", "remove", name, "--yes"], key: keys.only(name), expecting: nil)
    expectFailure(
      own, 80, says: "this security key is the one to be removed", "plug in", "key list")
    let removed = try await box.keybackup(
      ["key", "remove", name, "--yes"], key: keys.only(other))
    #expect(removed.err.contains("rotate --master-key"), "\(removed.err)")
    let lost = try await box.keybackup(["wallet", "list"], key: keys.only(name), expecting: nil)
    expectFailure(lost, 80, says: "does not open this backup")
  }

  /// python-fido2 and fido2-assert get the secret from the key, and the reader in
  /// Python opens the folder with it.
  private func expectReadByAnother(
    with name: String, _ keys: ThreeKeys, hasEnvelope: Bool
  ) async throws {
    let box = keys.box
    let slot = try #require(try await keys.slots().first { $0["label"].text == name })
    let id = try #require(slot["key_id"].text)
    let header = try KeyFile.header(try keys.place + "/keybackup/keys/\(id).json")
    let salt = bytes(hex: try #require(header["prf_salt"].text))
    let credential = bytes(base64: try #require(slot["credential_id"].text))
    let output = try await box.pythonFIDO2(
      rpID: "keybackup:", credential: credential, inputs: [salt], key: keys.only(name))
    let read = try await box.run(
      Python.script("reader/cspp_reader.py") + [box.folder, "--prf-output", output[0]], key: nil)
    #expect(read.code == 0, "\(read.text)")
    let opened = try JSON(read.output)
    #expect(opened["wallets"].items.count == 2)
    #expect(opened["unreadable"].items.isEmpty)
    #expect(
      opened["opened_by"].items.compactMap(\.text) == (hasEnvelope ? ["envelope"] : []) + [id])
  }

  // MARK: Enrolling

  @Test func `The key that opens is not enrolled again`() async throws {
    let keys = try await ThreeKeys()
    let before = try Files.contents(keys.box.folder)
    let trace = try await keys.box.traced {
      let refused = try await keys.box.keybackup(
        ["key", "add"], key: keys.only("blue"), expecting: nil)
      expectFailure(refused, 73, says: "enrolled already", "--wait")
      let named = try await keys.box.keybackup(
        ["key", "add", "--device", "/dev/hidraw0"], key: keys.only("blue"), expecting: nil)
      expectFailure(named, 73, says: "enrolled already")
    }
    #expect(!trace.contains { $0.contains("makeCredential") }, "\(trace)")
    #expect(try Files.contents(keys.box.folder) == before)
  }

  /// One USB port: the first key is taken out before the new one comes.
  @Test func `With one USB port`() async throws {
    let keys = try await ThreeKeys()
    let fourth = keys.box.root + "/fourth.json"
    try await keys.box.keybackup(
      ["key", "add", "--wait", "3600", "--label", "fourth"],
      key: ["--key", keys.state("blue"), "--key", fourth + ",plug-after-ms=\(fourth).plugged"],
      meanwhile: [.expect("insert the new one"), .write("", to: fourth + ".plugged")])
    try await keys.box.keybackup(["wallet", "list"], key: ["--key", fourth])
    #expect(try await keys.slots().count == 4)
  }

  /// Two keys of one name are enrolled, and the user is told how to distinguish them.
  @Test func `A name that another key has`() async throws {
    let keys = try await ThreeKeys()
    let box = keys.box
    let other = try #require(try await keys.ids("green").first)
    let added = try await box.keybackup(
      ["key", "add", "--label", "green", "--json"],
      key: keys.only("blue") + ["--key", box.root + "/fourth.json"])
    let json = try added.json()
    #expect(json["same_label"].items.map(\.text) == [other], "\(json)")
    let id = try #require(json["key_id"].text)
    #expect(
      added.err.contains("another way in has this name: \"green\"; its ID is \(other.prefix(8))"))
    #expect(added.err.contains("keybackup key label \(id.prefix(8)) NAME"), "\(added.err)")
    let named = try await box.keybackup(
      ["key", "label", String(id.prefix(8)), "safe"], key: keys.only("blue"))
    #expect(!named.err.contains("this name"), "\(named.err)")
    #expect(try await keys.ids("green") == [other])
    let kit = try await box.keybackup(
      ["recovery-kit", "create", "--label", "green", "--json", "--reveal"], key: keys.only("blue"))
    #expect(try kit.json()["same_label"].items.map(\.text) == [other], "\(kit.err)")
    #expect(kit.err.contains("another way in has this name"), "\(kit.err)")
    let blue = try await keys.ids("blue").map(Optional.some)
    let taken = try await box.keybackup(
      ["key", "label", "safe", "blue", "--json"], key: keys.only("blue"))
    #expect(try taken.json()["same_label"].items.map(\.text) == blue)
    #expect(taken.err.contains("another way in has this name: \"blue\""), "\(taken.err)")
  }

  /// Each key has its own path and PIN; the new one takes no slot.
  @Test func `Both keys are named`() async throws {
    let keys = try await ThreeKeys()
    let fourth = keys.box.root + "/fourth.json"
    let json = try await keys.box.keybackup(
      [
        "key", "add", "--json", "--device", "/dev/hidraw1", "--unlock-device", "/dev/hidraw0",
        "--unlock-pin-file", keys.box.pinFile, "--non-discoverable",
      ], key: ["--key", keys.state("red"), "--key", fourth]
    ).json()
    let id = try #require(json["key_id"].text)
    let slot = try #require(try await keys.slots().first { $0["key_id"].text == id })
    #expect(slot["discoverable"].flag == false)
    // Two equal answers at its enrolment do not count as opening the backup.
    #expect(slot["proved_at"].number == nil)
    #expect(json["credential_id"].text == slot["credential_id"].text)
    #expect(json["same_label"].items.isEmpty)
  }

  @Test(arguments: [",fault=hmac-secret-unstable", ",no-hmac-secret"])
  func `A key that will not do leaves the folder as it was`(setting: String) async throws {
    let keys = try await ThreeKeys()
    let before = try Files.contents(keys.box.folder)
    let failed = try await keys.box.keybackup(
      ["key", "add"],
      key: ["--key", keys.state("blue"), "--key", keys.box.root + "/bad.json" + setting],
      expecting: 86)
    #expect(
      failed.err.contains("credential delete --force") == setting.contains("unstable"),
      "\(failed.err)")
    #expect(try Files.contents(keys.box.folder) == before)
  }

  @Test func `An interrupted enrolment names the credential left`() async throws {
    let keys = try await ThreeKeys()
    let before = try Files.contents(keys.box.folder)
    let ended = try await keys.box.keybackup(
      ["key", "add"],
      key: ["--key", keys.state("blue"), "--key", keys.box.root + "/new.json,untouched=2"],
      terminal: [
        .expect("1 of 3"), .expect("2 of 3"), .find("WAITING", in: keys.box.tracePath), .interrupt,
      ],
      expecting: 130)
    #expect(ended.text.contains("credential delete --force"), "\(ended.text)")
    #expect(try Files.contents(keys.box.folder) == before)
  }

  // MARK: Names, new credentials, years

  @Test func `A new name is shown everywhere`() async throws {
    let keys = try await ThreeKeys()
    try await keys.box.keybackup(["key", "label", "green", "safe"], key: keys.only("red"))
    #expect(try await keys.ids("safe").count == 1)
    #expect(try await keys.ids("green").isEmpty)
    let outcome = try await keys.box.keybackup(["wallet", "list"], key: keys.only("green"))
    #expect(outcome.err.contains("Touch Virtual Key \"safe\" now"), "\(outcome.err)")
    let none = try await keys.box.keybackup(
      ["key", "label", "violet", "x"], key: keys.only("red"), expecting: nil)
    expectFailure(none, 66, says: "violet", "key list")
  }

  @Test func `A new credential takes the old ones place`() async throws {
    let keys = try await ThreeKeys()
    let box = keys.box
    let rotated = try await box.keybackup(
      ["rotate", "--credential", "--key", "green"], key: keys.only("green"))
    #expect(rotated.err.contains("4 of 4"), "\(rotated.err)")
    #expect(
      rotated.err.contains("free its slot: keybackup credential delete --force"), "\(rotated.err)")
    #expect(try await keys.ids("green").count == 2)
    try await keys.expectRestores(with: "green")
    try await box.keybackup(["key", "repair"], key: keys.only("green"))
    let left = try await keys.ids("green")
    #expect(left.count == 1)
    try await keys.expectRestores(with: "green")
    try await keys.expectRestores(with: "blue")
  }

  @Test func `Two keys that could be rotated are not guessed`() async throws {
    let keys = try await ThreeKeys()
    let both = keys.only("blue") + keys.only("green")
    let unclear = try await keys.box.keybackup(["rotate"], key: both, expecting: nil)
    expectFailure(unclear, 90, says: "2 security keys", "--device")
    let json = try await keys.box.keybackup(
      ["rotate", "--json", "--key", "green"], key: both
    ).json()
    let id = try #require(json["key_id"].text)
    #expect(try await keys.ids("green").contains(id))
  }
}

/// A file of `keys/`.
enum KeyFile {
  /// The header's fields.
  static func header(_ path: String) throws -> JSON {
    try JSON(bytes(base64: try #require(try JSON(Files.read(path))["protected"].text)))
  }
}
