import Testing

/// Keys that behave differently from most, within the rules of CTAP.
@Suite struct UnusualKeyTests {
  // MARK: A placeholder until the PIN

  static let placeholder = ["--set", "placeholder-until-pin"]

  /// Each command is the key's first one since it was plugged in.
  @Test func `A placeholder is asked with the PIN`() async throws {
    let prepared = try await PreparedBackup()
    let box = prepared.box
    let trace = try await box.traced {
      let outcome = try await box.keybackup(["restore", "--json"], key: Self.placeholder)
      #expect(try outcome.json()["restored"].number == 3)
    }
    #expect(trace.count { $0 == "TOUCH" } == 1, "\(trace)")
    try await box.keybackup(["verify", "--deep"], key: Self.placeholder)
  }

  /// It can also be enrolled like any other.
  @Test func `A placeholder is enrolled`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["init"], key: Self.placeholder)
    try await box.keybackup(["restore"], key: Self.placeholder)
  }

  @Test func `A placeholder stands back where another key is sure`() async throws {
    let prepared = try await PreparedBackup()
    let box = prepared.box
    let keys = [
      "--key", box.root + "/other.json,placeholder-until-pin", "--key", box.keyState,
    ]
    let trace = try await box.traced { try await box.keybackup(["restore"], key: keys) }
    let other = trace.filter { $0.hasPrefix("hidraw0") }
    #expect(!other.isEmpty && !other.contains { $0.contains("clientPIN") }, "\(other)")
  }

  // MARK: Endings that say something else

  /// A key that ends the wait for a touch by itself says "denied", too late for a user.
  @Test func `A denial after the keys own time is no refusal`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let own = ["--touch", "never", "--set", "touch-timeout-denies", "--set"]
    let late = try await box.keybackup(
      Sandbox.derive, key: own + ["touch-timeout-ms=10300"], expecting: nil)
    expectFailure(late, 84, says: "not touched in time")
    let early = try await box.keybackup(
      Sandbox.derive, key: own + ["touch-timeout-ms=300"], expecting: nil)
    expectFailure(early, 85, says: "refused")
  }

  @Test func `A PIN that must be changed is not too short`() async throws {
    let prepared = try await PreparedBackup()
    let key = ["--set", "force-pin-change-by-policy"]
    let outcome = try await prepared.box.keybackup(["restore"], key: key, expecting: nil)
    expectFailure(outcome, 81, says: "wants a new PIN", "keybackup pin change")
    #expect(!outcome.err.contains("too short"))
    let json = try await prepared.box.keybackup(["restore", "--json"], key: key, expecting: nil)
    try expectFailure(json, 81, word: "pin-invalid")
  }

  /// The key never gives a channel.
  @Test(arguments: [["restore"], Sandbox.derive, ["init"]])
  func `A key that does not answer is not in use`(_ command: [String]) async throws {
    let box = command == ["init"] ? try Sandbox() : try await PreparedBackup().box
    let outcome = try await box.keybackup(
      command, key: ["--fault", "init-silent"], expecting: nil)
    expectFailure(outcome, 91, says: "Virtual Key does not answer", "replug")
    #expect(!outcome.err.contains("another program"), "\(outcome.err)")
  }

  /// A key that is pulled out while it is opened or examined is like a card that is taken away.
  @Test(arguments: ["unplug:getInfo", "unplug:getAssertion"])
  func `A key that is pulled while it is looked at is lost`(_ fault: String) async throws {
    let prepared = try await PreparedBackup()
    let box = prepared.box
    let key = ["--fault", fault]
    let outcome = try await box.keybackup(["restore"], key: key, expecting: nil)
    expectFailure(outcome, 91, says: "was unplugged", "plug it in")
    let json = try await box.keybackup(["restore", "--json"], key: key, expecting: nil)
    try expectFailure(json, 91, word: "authenticator-lost")
    let named = try await box.keybackup(
      ["restore", "--device", "/dev/hidraw0"], key: key, expecting: nil)
    expectFailure(named, 91, says: "was unplugged")
  }

  // MARK: Telling keys apart

  /// Both hold the credential, and neither has a label.
  @Test func `Two keys of one model are told apart`() async throws {
    let prepared = try await PreparedBackup()
    let box = prepared.box
    try Files.copy(box.keyState, to: box.root + "/copy.json")
    let twins = ["--key", box.root + "/copy.json,touch=deny", "--key", box.keyState]
    let plugged = try await box.keybackup(["restore"], key: twins, expecting: nil)
    #expect(plugged.err.contains("Touch Virtual Key at /dev/hidraw0 now."), "\(plugged.err)")
    // Different models need no more than their names.
    let others = [
      "--key", box.root + "/other.json,product=Other Key", "--key", box.keyState,
    ]
    let alone = try await box.keybackup(["restore"], key: others)
    #expect(alone.err.contains("Touch Virtual Key now."), "\(alone.err)")
  }

  @Test func `Two readers of one model are told apart`() async throws {
    let prepared = try await PreparedBackup()
    let box = prepared.box
    let twins = [
      "--bus", "pcsc", "--key", box.root + "/other.json", "--key", box.keyState,
    ]
    let outcome = try await box.keybackup(["restore"], key: twins)
    #expect(
      outcome.err.contains("Hold the key on Simulated Reader 00 01 \"Virtual Key\" still"),
      "\(outcome.err)")
  }

  // MARK: A credential that hides

  @Test func `A hidden credentials key must be named`() async throws {
    let box = try Sandbox()
    let credential = "credential=keybackup-derive:/" + String(repeating: "5a", count: 32) + "/3"
    let key = ["--set", credential]
    let found = try await box.keybackup(Sandbox.derive + ["--json"], key: key).json()
    let id = try #require(found["credential_id"].text)
    let asked = Sandbox.derive + ["--credential", id]
    let hidden = try await box.keybackup(asked, key: key, expecting: nil)
    expectFailure(hidden, 80, says: "protection level is 3", "--device")
    let named = try await box.keybackup(asked + ["--device", "/dev/hidraw0"], key: key)
    #expect(named.out.count == 65)
    // The wrong key was named, so that advice was followed already.
    let wrong = try await box.keybackup(
      asked + ["--device", "/dev/hidraw0"], key: ["--key", box.root + "/other.json"],
      expecting: nil)
    #expect(wrong.code == 80 && !wrong.err.contains("protection level is 3"), "\(wrong.text)")
  }
}
