import Testing

/// Fingerprints, PINs, and keys that have neither.
@Suite struct VerificationTests {
  static let reader = ["--set", "built-in-uv"]

  /// The output is the same, however the user was verified.
  @Test func `A fingerprint does what the PIN does`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential(key: Self.reader)
    let byPIN = try await box.keybackup(Sandbox.derive)
    let trace = try await box.traced {
      let byFinger = try await box.keybackup(Sandbox.derive, key: Self.reader, pin: .none)
      #expect(byFinger.out == byPIN.out)
    }
    #expect(!trace.contains { $0.contains("UsingPIN") }, "\(trace)")
    // A PIN at hand is not sent while the finger is enough.
    let unsent = try await box.traced {
      let outcome = try await box.keybackup(
        Sandbox.derive, key: Self.reader, pin: .descriptor(Sandbox.pin))
      #expect(outcome.out == byPIN.out)
    }
    #expect(!unsent.contains { $0.contains("UsingPIN") }, "\(unsent)")
    // A key from before CTAP 2.1 gets an option instead of a token.
    let older = try await box.keybackup(
      Sandbox.derive, key: Self.reader + ["--set", "no-pin-uv-auth-token"], pin: .none)
    #expect(older.out == byPIN.out)
  }

  @Test func `A finger may be put down again`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential(key: Self.reader)
    let trace = try await box.traced {
      let outcome = try await box.keybackup(
        Sandbox.derive, key: Self.reader + ["--set", "fingerprint-misses=2"], pin: .none)
      #expect(outcome.err.contains("The fingerprint was not recognised."), "\(outcome.err)")
    }
    #expect(trace.count { $0 == "MISMATCH" } == 2)
  }

  /// The reader is blocked, so the PIN is requested, and unblocks it.
  @Test func `A blocked reader falls back to the PIN`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential(key: Self.reader)
    let blind = Self.reader + ["--set", "fingerprint-misses=9"]
    let expected = try await box.keybackup(Sandbox.derive, key: Self.reader)
    let outcome = try await box.keybackup(
      Sandbox.derive + ["--reveal"], key: blind, pin: .none,
      terminal: [
        .expect("reader is blocked"), .expect("PIN for"), .type(Sandbox.pin + "\n"),
        .expect("Touch"),
      ])
    #expect(outcome.text.contains(expected.out.dropLast()), "\(outcome.text)")
    let nobody = try await box.keybackup(Sandbox.derive, key: blind, pin: .none, expecting: nil)
    expectFailure(nobody, 78, says: "PIN", "--pin-fd")
    let again = try await box.keybackup(Sandbox.derive, key: blind)
    #expect(again.out == expected.out)
    #expect(again.err.contains("reader is blocked"), "\(again.err)")
    let unblocked = try await box.keybackup(Sandbox.derive, key: Self.reader, pin: .none)
    #expect(unblocked.out == expected.out)
  }

  /// A reader and no PIN at all: the key blocks itself, and the message explains the situation.
  @Test func `A blocked reader without APIN`() async throws {
    let box = try Sandbox()
    let reader = Self.reader + ["no-pin"]
    _ = try await box.makeCredential(key: reader, pin: .none)
    let outcome = try await box.keybackup(
      Sandbox.derive, key: reader + ["--set", "fingerprint-misses=9"], pin: .none, expecting: nil)
    expectFailure(outcome, 82, says: "fingerprint reader", "blocked")
  }

  // MARK: Enrolling a key that cannot verify its user

  @Test func `A key without APIN is not enrolled`() async throws {
    let box = try Sandbox()
    for command in [["init"], ["credential", "create"]] {
      let outcome = try await box.keybackup(command, key: ["no-pin"], pin: .none, expecting: nil)
      expectFailure(outcome, 83, says: "has no PIN", "keybackup pin set")
    }
    #expect(Files.tree(box.folder).isEmpty)
    #expect(!box.trace.contains { $0.contains("makeCredential") })
  }

  @Test func `On a terminal its PIN is set first`() async throws {
    let box = try Sandbox()
    let pin = Sandbox.pin + "\n"
    let outcome = try await box.keybackup(
      ["init"], key: ["no-pin"], pin: .none,
      terminal: [
        .expect("Set one now? [y/N]"), .type("y\n"), .expect("New PIN"), .type("12\n"),
        .expect("again"), .type("12\n"), .expect("too short"), .expect("New PIN"), .type(pin),
        .expect("again"), .type(pin), .expect("3 of 3"),
      ])
    // It was typed twice, and is not asked for a third time.
    #expect(!outcome.screen.contains("PIN for"), "\(outcome.screen)")
    try await box.keybackup(["restore"])
  }

  @Test func `And nothing happens when they do not want to`() async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(
      ["init"], key: ["no-pin"], pin: .none,
      terminal: [.expect("Set one now? [y/N]"), .type("\n")], expecting: nil)
    #expect(outcome.code == 83, "\(outcome.text)")
    #expect(!box.trace.contains { $0.contains("setPIN") })
  }

  // MARK: Every kind of key

  struct Kind: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var settings: [String]
    var pin = Sandbox.PINGiven.file
  }

  static let kinds: [Kind] = [
    Kind(testDescription: "PIN protocol 1 only", settings: ["pin-protocols=1"]),
    Kind(testDescription: "PIN protocol 2 only", settings: ["pin-protocols=2"]),
    Kind(
      testDescription: "CTAP 2.0",
      settings: [
        "versions=U2F_V2+FIDO_2_0", "no-pin-uv-auth-token", "pin-protocols=1",
        "no-cred-mgmt-preview",
      ]),
    Kind(
      testDescription: "CTAP 2.0 with a reader",
      settings: ["versions=FIDO_2_0", "no-pin-uv-auth-token", "built-in-uv"], pin: .none),
    Kind(testDescription: "always verifies, by PIN", settings: ["always-uv"]),
    Kind(
      testDescription: "always verifies, by finger", settings: ["always-uv", "built-in-uv"],
      pin: .none),
    Kind(
      testDescription: "verifies for a credential only if it must",
      settings: ["make-cred-uv-not-required"]),
    Kind(testDescription: "no credProtect", settings: ["no-cred-protect"]),
    Kind(testDescription: "no credential management", settings: ["no-cred-mgmt"]),
    Kind(
      testDescription: "small messages and lists",
      settings: ["max-msg-size=1024", "max-credentials-in-list=1"]),
  ]

  /// The whole job on each key, with one verification for each use.
  @Test(arguments: kinds)
  func `The main job takes one verification for each use`(_ kind: Kind) async throws {
    let box = try Sandbox()
    let key = kind.settings.flatMap { ["--set", $0] }
    try await box.keybackup(["init"], key: key, pin: kind.pin)
    try await box.keybackup(
      ["wallet", "import", "-"], key: key, pin: kind.pin,
      input: Array(Samples.entry(id: "a", name: "A").utf8))
    let trace = try await box.traced {
      let restored = try await box.keybackup(
        ["restore", "--json"], key: key, pin: kind.pin, home: box.root + "/tmp")
      #expect(try restored.json()["restored"].number == 1)
    }
    // A reader that verifies before the assertion reads the finger separately.
    let touches = kind.settings.contains("built-in-uv") ? 1...2 : 1...1
    #expect(touches.contains(trace.count { $0 == "TOUCH" }), "\(trace)")
  }
}
