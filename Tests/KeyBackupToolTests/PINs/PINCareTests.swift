import Testing

/// PIN tries that are not spent: accidents, rules that are known in advance, PINs that were
/// refused.
@Suite struct PINCareTests {
  /// The code that most keys make, the shortest and the longest; and with Caps Lock on.
  static let codes = [
    "ccccccbcgujhingjrdejhgfnuetrgigvejhhgbkugded", "cbdefghijklnrtuvcbdefghijklnrtuv",
    "cbdefghijklnrtuvcbdefghijklnrtuvcbdefghijklnrtuv",
    "CCCCCCBCGUJHINGJRDEJHGFNUETRGIGVEJHHGBKUGDED",
  ]

  @Test(arguments: codes)
  func `A one time code typed by accident is not spent`(_ code: String) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let trace = try await box.traced {
      let outcome = try await box.keybackup(
        Sandbox.derive, pin: .none,
        terminal: [
          .expect("(8 tries left): "), .type(code + "\n"), .expect("one-time code"),
          .expect("not sent"), .expect("(8 tries left): "), .type(Sandbox.pin + "\n"),
        ])
      #expect(outcome.stepsLeft.isEmpty && !outcome.screen.contains(code))
    }
    #expect(PINTests.tries(trace) == 1, "\(trace)")
  }

  @Test(arguments: codes)
  func `A one time code from a descriptor or file is not spent`(_ code: String) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    try Files.write(code, to: box.root + "/code", mode: 0o600)
    let trace = try await box.traced {
      let outcome = try await box.keybackup(
        Sandbox.derive, pin: .descriptor(code), expecting: nil)
      expectFailure(outcome, 65, says: "one-time code", "no try was spent")
      #expect(!outcome.text.contains(code))
      let file = try await box.keybackup(
        Sandbox.derive + ["--pin-file", box.root + "/code", "--json"], pin: .none, expecting: nil)
      try expectFailure(file, 65, word: "data-invalid")
      let new = try await box.keybackup(
        ["pin", "change", "--new-pin-file", box.root + "/code"], expecting: nil)
      expectFailure(new, 65, says: "one-time code")
    }
    #expect(PINTests.tries(trace) == 0 && !trace.contains { $0.contains("changePIN") })
  }

  /// The keyboard function can type a fixed password in the same letters.
  @Test func `Who enters the same code twice means it`() async throws {
    let box = try Sandbox()
    let pin = Self.codes[1]
    let key = ["--pin", pin]
    let outcome = try await box.keybackup(
      ["credential", "create"], key: key, pin: .none,
      terminal: [
        .expect("tries left): "), .type(pin + "\n"), .expect("one-time code"),
        .expect("tries left): "), .type(pin + "\n"), .expect("Touch"),
      ])
    #expect(outcome.stepsLeft.isEmpty)
  }

  @Test(arguments: [
    // 30 and 50 letters, an odd number, a letter that is not among them.
    "cbdefghijklnrtuvcbdefghijklnrt", "cbdefghijklnrtuvcbdefghijklnrtuvcbdefghijklnrtuvcb",
    "cbdefghijklnrtuvcbdefghijklnrtuvc", "cbdefghijklnrtuvcbdefghijklnrtua",
  ])
  func `What only looks alike is APIN`(_ pin: String) async throws {
    let box = try Sandbox()
    try await box.keybackup(["credential", "create"], key: ["--pin", pin], pin: .descriptor(pin))
  }

  @Test func `No PIN is sent twice whatever was typed between`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let trace = try await box.traced {
      try await box.keybackup(
        Sandbox.derive, pin: .none,
        terminal: [
          .expect("(8 tries left): "), .type("wrong-one\n"), .expect("(7 tries left): "),
          .type("wrong-two\n"), .expect("(6 tries left): "), .type("wrong-one\n"),
          .expect("not sent again"), .expect("(6 tries left): "), .type(Sandbox.pin + "\n"),
        ])
    }
    #expect(PINTests.tries(trace) == 3, "\(trace)")
  }

  @Test func `A PIN that is too short for this key is not sent`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let key = ["--set", "min-pin-length=8"]
    let trace = try await box.traced {
      let (outcome, events) = try await box.listening(
        to: Sandbox.derive, key: key, pin: .none,
        terminal: [
          .expect("tries left): "), .type("1234567\n"), .expect("at least 8 characters"),
          .expect("(8 tries left): "), .type(Sandbox.pin + "\n"),
        ])
      #expect(outcome.code == 0 && outcome.stepsLeft.isEmpty, "\(outcome.screen)")
      #expect(events.first?["minimum_length"].number == 8)
    }
    #expect(PINTests.tries(trace) == 1, "\(trace)")
    try Files.write("1234567", to: box.root + "/new", mode: 0o600)
    let change = try await box.keybackup(
      ["pin", "change", "--new-pin-file", box.root + "/new"], key: key, expecting: nil)
    expectFailure(change, 65, says: "at least 8 characters", "no try was spent")
    let fresh = try Sandbox()
    let set = try await fresh.keybackup(
      ["pin", "set", "--new-pin-file", box.root + "/new"], key: key + ["no-pin"], pin: .none,
      expecting: nil)
    expectFailure(set, 65, says: "at least 8 characters")
  }

  /// If the key's rules are known anyway, the PIN of a file is checked against them too.
  @Test func `A PIN from a file is not sent against known rules`() async throws {
    let box = try Sandbox()
    let trace = try await box.traced {
      let short = try await box.keybackup(
        ["credential", "create"], key: ["--set", "min-pin-length=8"],
        pin: .descriptor("1234567"), expecting: nil)
      expectFailure(short, 65, says: "at least 8 characters", "no try was spent")
      let forced = try await box.keybackup(
        ["credential", "create"], key: ["--set", "force-pin-change"], expecting: nil)
      expectFailure(forced, 81, says: "keybackup pin change")
    }
    #expect(PINTests.tries(trace) == 0, "\(trace)")
  }

  @Test func `A PIN that must be changed is not asked for`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let key = ["--set", "force-pin-change"]
    let outcome = try await box.keybackup(
      Sandbox.derive, key: key, pin: .none, terminal: [], expecting: nil)
    #expect(outcome.code == 81 && !outcome.screen.contains("tries left"), "\(outcome)")
    #expect(outcome.screen.contains("keybackup pin change"))
    let changed = try await box.keybackup(
      ["pin", "change"], key: key, pin: .none,
      terminal: [
        .expect("New PIN: "), .type("another-pin\n"), .expect("again: "),
        .type("another-pin\n"), .expect("PIN for"), .type(Sandbox.pin + "\n"),
      ])
    #expect(changed.stepsLeft.isEmpty)
    try await box.keybackup(Sandbox.derive, pin: .descriptor("another-pin"))
  }

  @Test func `The last tries are not spent by mistyping either`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    try box.setRetries(3)
    let outcome = try await box.keybackup(
      Sandbox.derive, pin: .none,
      terminal: [.expect("(3 tries left): "), .type("wrong-one\n")], expecting: nil)
    #expect(outcome.code == 92 && outcome.screen.contains("--allow-last-tries"), "\(outcome)")
    #expect(outcome.screen.contains("Wrong PIN"))
  }
}
