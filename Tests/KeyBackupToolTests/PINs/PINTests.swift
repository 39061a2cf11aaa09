import Glibc
import Testing

/// Everything about PINs: sources, tries, blocks.
@Suite struct PINTests {
  /// The number of PINs sent to the key.
  static func tries(_ trace: [String]) -> Int {
    trace.count { $0.contains("TokenUsingPIN") || $0.contains("clientPIN getPINToken") }
  }

  @Test func `No PIN is set on the key`() async throws {
    let box = try Sandbox()
    for arguments in [["credential", "create"], ["init"]] {
      let outcome = try await box.keybackup(arguments, key: ["no-pin"], expecting: nil)
      expectFailure(outcome, 83, says: "has no PIN", "keybackup pin set")
    }
    let json = try await box.keybackup(["init", "--json"], key: ["no-pin"], expecting: nil)
    try expectFailure(json, 83, word: "pin-not-set")
    #expect(Files.tree(box.folder).isEmpty)
  }

  @Test func `A wrong PIN is tried once and the tries left are said`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let trace = try await box.traced {
      let outcome = try await box.keybackup(
        Sandbox.derive, pin: .descriptor("wrong-one"), expecting: nil)
      expectFailure(outcome, 81, says: "wrong PIN", "7 tries left")
      #expect(!outcome.text.contains("wrong-one"))
    }
    #expect(Self.tries(trace) == 1, "\(trace)")
    let json = try await box.keybackup(
      Sandbox.derive + ["--json"], pin: .descriptor("wrong-one"), expecting: nil)
    try expectFailure(json, 81, word: "pin-invalid")
    #expect(try json.json()["error"]["message"].text?.contains("6 tries left") == true)
    #expect(!json.text.contains("correct the PIN"))
    // A file is there for the next run, too.
    let file = box.root + "/wrong pin"
    try Files.write("wrong-two\n", to: file)
    try await box.run(["chmod", "600", file], key: nil).expectSuccess()
    let stored = try await box.keybackup(
      Sandbox.derive + ["--pin-file", file], pin: .none, expecting: nil)
    expectFailure(stored, 81, says: "correct the PIN in '\(file)'")
    #expect(!stored.text.contains("wrong-two"))
    // The right PIN restores the tries.
    try await box.keybackup(Sandbox.derive)
    let devices = try await box.keybackup(["devices", "--json"], pin: .none)
    #expect(try devices.json()["devices"][0]["pin_retries"].number == 8)
  }

  /// As typed, the PIN has more bytes than CTAP allows; normalised, it has not.
  ///
  /// Cut short, it would be another PIN and cost a try.
  @Test func `A long decomposed PIN is read whole`() async throws {
    let box = try Sandbox()
    let composed = String(repeating: "\u{e9}", count: 31)
    let typed = String(repeating: "e\u{301}", count: 31)
    let key = ["--pin", composed]
    let trace = try await box.traced {
      try await box.keybackup(["credential", "create"], key: key, pin: .descriptor(typed))
      try Files.write(typed + "\r\n", to: box.root + "/typed", mode: 0o600)
      try await box.keybackup(
        Sandbox.derive + ["--pin-file", box.root + "/typed"], key: key, pin: .none)
    }
    // Looking for other credentials takes the PIN once more.
    #expect(Self.tries(trace) == 3)
    let long = typed + "e\u{301}"
    let outcome = try await box.keybackup(
      Sandbox.derive, key: key, pin: .descriptor(long), expecting: nil)
    expectFailure(outcome, 65, says: "at most 63 bytes")
  }

  @Test func `A PIN that must be changed first is not called wrong`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let forced = ["--set", "force-pin-change"]
    let trace = try await box.traced {
      let outcome = try await box.keybackup(Sandbox.derive, key: forced, expecting: nil)
      expectFailure(outcome, 81, says: "wants a new PIN", "keybackup pin change")
      #expect(!outcome.err.contains("wrong"))
    }
    // The key reported it earlier.
    #expect(Self.tries(trace) == 0)
    try Files.write("another-pin\n", to: box.root + "/new", mode: 0o600)
    try await box.keybackup(["pin", "change", "--new-pin-file", box.root + "/new"], key: forced)
    try await box.keybackup(Sandbox.derive, pin: .descriptor("another-pin"))
  }

  @Test(arguments: [2, 1])
  func `The last tries are not spent unasked`(_ left: Int) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    try box.setRetries(left)
    let trace = try await box.traced {
      let outcome = try await box.keybackup(Sandbox.derive, expecting: nil)
      expectFailure(
        outcome, 92, says: left == 1 ? "1 try left" : "2 tries left", "--allow-last-tries")
      let json = try await box.keybackup(Sandbox.derive + ["--json"], expecting: nil)
      try expectFailure(json, 92, word: "pin-last-tries")
    }
    #expect(Self.tries(trace) == 0)
    try await box.keybackup(Sandbox.derive + ["--allow-last-tries"])
  }

  @Test func `Blocked until it is plugged in again`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    // One power cycle: the key counts three wrong PINs in a row.
    let script = "for n in 1 2 3 4; do echo wrong-$n | \"$@\" --pin-fd 0; echo code $?; done"
    let outcome = try await box.run(["sh", "-c", script, "sh", Build.keybackup] + Sandbox.derive)
    #expect(
      outcome.err.contains("5 tries left; at 0 the key locks for good"), "\(outcome.err)")
    let codes = outcome.out.split(separator: "\n").map(String.init)
    #expect(codes == ["code 81", "code 81", "code 82", "code 82"], "\(outcome.text)")
    #expect(outcome.err.contains("unplug the key and plug it in again"), "\(outcome.err)")
    #expect(!outcome.err.contains("blocked for good"))
    // When plugged in again, it accepts the right PIN.
    try await box.keybackup(Sandbox.derive)
  }

  /// Nobody is asked for a touch before the key has accepted the PIN.
  @Test func `The touch is asked for after the PIN`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let wrong = try await box.keybackup(
      Sandbox.derive, pin: .descriptor("wrong-one"), expecting: nil)
    #expect(wrong.code == 81 && !wrong.err.contains("Touch"), "\(wrong.err)")
    let typed = try await box.keybackup(
      Sandbox.derive + ["--reveal"], pin: .none,
      terminal: [
        .expect("(7 tries left)"), .type("wrong-one\n"), .expect("Wrong PIN."),
        .expect("(6 tries left)"), .type(Sandbox.pin + "\n"), .expect("Touch"),
      ])
    #expect(typed.stepsLeft.isEmpty)
    #expect(typed.screen.count(of: "Touch") == 1, "\(typed.screen)")
    // Making a credential, as well.
    let made = try await box.keybackup(
      ["credential", "create"], pin: .descriptor("wrong-one"), expecting: nil)
    #expect(made.code == 81 && !made.err.contains("Touch"), "\(made.err)")
  }

  @Test func `A key that is blocked for good is said to need a reset`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    try box.setRetries(1)
    let last = try await box.keybackup(
      Sandbox.derive + ["--allow-last-tries"], pin: .descriptor("wrong-one"), expecting: nil)
    #expect(last.code == 82, "\(last.text)")
    let outcome = try await box.keybackup(Sandbox.derive, expecting: nil)
    expectFailure(outcome, 82, says: "blocked for good", "reset", "keybackup pin --help")
    let json = try await box.keybackup(Sandbox.derive + ["--json"], expecting: nil)
    try expectFailure(json, 82, word: "pin-blocked")
  }

  /// Nobody is asked for a new PIN that the key cannot take.
  @Test func `A blocked key is found out before a PIN is asked for`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    try box.setRetries(0)
    for command in ["set", "change"] {
      let outcome = try await box.keybackup(
        ["pin", command], pin: .none,
        terminal: [.expect("blocked for good"), .expect("keybackup pin --help")], expecting: nil)
      #expect(outcome.code == 82 && !outcome.text.contains("New PIN"), "\(outcome.text)")
    }
    let listed = try await box.keybackup(["devices"], pin: .none)
    #expect(listed.out.contains(/PIN +blocked for good/), "\(listed.out)")
    let json = try await box.keybackup(["devices", "--json"], pin: .none).json()
    #expect(json["devices"][0]["pin_retries"].number == 0)
  }

  // MARK: Sources

  @Test(arguments: ["0644", "0640", "0604"])
  func `A PIN file that others can read is refused`(_ mode: String) async throws {
    let box = try Sandbox()
    try Files.write(Sandbox.pin, to: box.pinFile, mode: UInt32(mode.dropFirst(), radix: 8) ?? 0)
    let outcome = try await box.keybackup(Sandbox.derive, expecting: nil)
    expectFailure(outcome, 78, says: "others can read", "chmod 600")
    let json = try await box.keybackup(Sandbox.derive + ["--json"], expecting: nil)
    try expectFailure(json, 78, word: "config")
    #expect(Self.tries(box.trace) == 0)
  }

  @Test func `A FIFO gives the PIN, and is not waited for without end`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let fifo = box.root + "/fifo"
    guard unsafe mkfifo(fifo, 0o600) == 0 else { throw SystemFailure(fifo) }
    // The writer opens it at once, and writes when its own person has answered.
    let given = try await box.run(
      [
        "sh", "-c", #"(exec 8>"$0/fifo"; sleep 1; cat "$0/pin" >&8) & exec "$@""#, box.root,
        Build.keybackup,
      ] + Sandbox.derive + ["--pin-file", fifo])
    #expect(given.code == 0, "\(given.text)")
    let before = Self.tries(box.trace)
    let never = try await box.keybackup(
      Sandbox.derive + ["--pin-file", fifo], pin: .none, expecting: nil)
    expectFailure(never, 66, says: "nobody writes to the FIFO \(fifo)")
    #expect(Self.tries(box.trace) == before)
  }

  @Test func `A missing or empty PIN file costs no try`() async throws {
    let box = try Sandbox()
    try Files.remove(box.pinFile)
    let missing = try await box.keybackup(Sandbox.derive, expecting: nil)
    expectFailure(missing, 66, says: "PIN file")
    try Files.write("\n", to: box.pinFile, mode: 0o600)
    let empty = try await box.keybackup(Sandbox.derive, expecting: nil)
    expectFailure(empty, 66, says: "no PIN in")
    #expect(Self.tries(box.trace) == 0)
  }

  @Test func `A PIN of a wrong length costs no try`() async throws {
    let box = try Sandbox()
    for pin in ["123", String(repeating: "9", count: 64)] {
      let outcome = try await box.keybackup(Sandbox.derive, pin: .descriptor(pin), expecting: nil)
      expectFailure(outcome, 65, says: "the PIN is too")
    }
    #expect(Self.tries(box.trace) == 0)
  }

  @Test func `Without anyone to ask it ends at once`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    for options in [[], ["--no-input"]] {
      let outcome = try await box.keybackup(Sandbox.derive + options, pin: .none, expecting: nil)
      expectFailure(outcome, 78, says: "--pin-f")
    }
  }

  @Test func `The service managers credential is used`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    try Files.makeFolder(box.root + "/credentials")
    try Files.write(Sandbox.pin, to: box.root + "/credentials/keybackup.pin", mode: 0o400)
    try await box.keybackup(
      Sandbox.derive, pin: .none, environment: ["CREDENTIALS_DIRECTORY": box.root + "/credentials"])
  }

  // MARK: Setting and changing

  @Test func `Sets and changes the PIN`() async throws {
    let box = try Sandbox()
    try Files.write("second-pin-55", to: box.root + "/new", mode: 0o600)
    try await box.keybackup(
      ["pin", "set", "--new-pin-file", box.pinFile], key: ["no-pin"], pin: .none)
    _ = try await box.makeCredential(key: ["no-pin"])
    let before = try await box.keybackup(Sandbox.derive)
    let again = try await box.keybackup(
      ["pin", "set", "--new-pin-file", box.pinFile], pin: .none, expecting: nil)
    expectFailure(again, 73, says: "has a PIN already")
    let trace = try await box.traced {
      let wrong = try await box.keybackup(
        ["pin", "change", "--new-pin-file", box.root + "/new"], pin: .descriptor("wrong-one"),
        expecting: nil)
      expectFailure(wrong, 81, says: "7 tries left")
    }
    #expect(trace.count { $0.contains("changePIN") } == 1, "\(trace)")
    try await box.keybackup(["pin", "change", "--new-pin-file", box.root + "/new"])
    expectFailure(try await box.keybackup(Sandbox.derive, expecting: nil), 81, says: "wrong PIN")
    // Another PIN, the same secrets.
    let after = try await box.keybackup(Sandbox.derive, pin: .descriptor("second-pin-55"))
    #expect(after.out == before.out)
  }

  @Test func `Changing needs APIN to change`() async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(
      ["pin", "change", "--new-pin-file", box.pinFile], key: ["no-pin"], expecting: nil)
    expectFailure(outcome, 83, says: "has no PIN")
  }
}

extension Sandbox {
  /// Sets how many PIN tries the key has left.
  func setRetries(_ count: Int) throws {
    let text = String(decoding: try Files.read(keyState), as: UTF8.self)
    let changed = text.replacing("\"pinRetries\" : 8", with: "\"pinRetries\" : \(count)")
    #expect(changed != text)
    try Files.write(changed, to: keyState)
  }
}
