import Testing

/// Keys that cannot or will not work, each tested with the command, as text and as JSON.
@Suite struct KeyFailureTests {
  struct Failure: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var key: [String]
    /// Whether the key is unplugged once it waits for a touch.
    var isTakenAway = false
    var options: [String] = []
    var pin = Sandbox.PINGiven.file
    var code: Int32
    var word: String
    var says: [String]
  }

  static let failures: [Failure] = [
    Failure(
      testDescription: "no key", key: ["--no-key"], code: 69, word: "no-authenticator",
      says: ["no security key found", "--wait"]),
    Failure(
      testDescription: "no hmac-secret", key: ["--no-hmac-secret"], code: 86,
      word: "prf-unsupported", says: ["hmac-secret", "Virtual Key"]),
    Failure(
      testDescription: "hmac-secret advertised and not delivered",
      key: ["--fault", "hmac-secret-missing"], code: 86, word: "prf-unsupported",
      says: ["claims to support hmac-secret, but gave no output"]),
    Failure(
      testDescription: "hmac-secret of a wrong length", key: ["--fault", "hmac-secret-length=16"],
      code: 86, word: "prf-unsupported", says: ["hmac-secret"]),
    Failure(
      testDescription: "user verification not claimed", key: ["--fault", "uv-flag-missing"],
      code: 86, word: "prf-unsupported", says: ["without verifying its user"]),
    Failure(
      testDescription: "garbage", key: ["--fault", "garbage:getAssertion"], code: 86,
      word: "prf-unsupported", says: []),
    Failure(
      testDescription: "touch denied", key: ["--touch", "deny"], code: 85, word: "denied",
      says: ["refused on Virtual Key"]),
    Failure(
      testDescription: "touch timed out on the host", key: ["--touch", "never"],
      options: ["--timeout", "1"], code: 84, word: "touch-timeout", says: ["not touched in time"]),
    Failure(
      testDescription: "touch timed out on the key",
      key: ["--touch", "never", "--set", "touch-timeout-ms=300"], code: 84, word: "touch-timeout",
      says: ["not touched in time"]),
    Failure(
      testDescription: "unplugged while waiting for the touch",
      key: ["--fault", "unplug-on-touch"], code: 91, word: "authenticator-lost",
      says: ["unplugged", "plug it in"]),
    Failure(
      testDescription: "unplugged after a while",
      key: ["--touch", "never"], isTakenAway: true, code: 91, word: "authenticator-lost",
      says: ["unplugged"]),
    Failure(
      testDescription: "unplugged in the middle of the PIN",
      key: ["--fault", "unplug:clientPIN@2"], code: 91, word: "authenticator-lost",
      says: ["unplugged"]),
    Failure(
      testDescription: "no credential of this relying party", key: [],
      options: ["--rp-id", "nothing.example"], code: 80, word: "wrong-key",
      says: ["holds no credential"]),
  ]

  @Test(arguments: failures)
  func `Is said with its exit code`(_ failure: Failure) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let arguments = Sandbox.derive + failure.options
    func run(_ more: [String]) async throws -> Outcome {
      let away = box.root + "/away\(more.count)"
      try Files.write("", to: box.tracePath)
      return try await box.keybackup(
        arguments + more,
        key: failure.key + (failure.isTakenAway ? ["--unplug-after-ms", away] : []),
        pin: failure.pin, meanwhile: [.find("WAITING", in: box.tracePath), .write("", to: away)],
        expecting: nil)
    }
    let outcome = try await run([])
    expectFailure(outcome, failure.code)
    for text in failure.says { #expect(outcome.err.contains(text), "\(outcome.err)") }
    #expect(outcome.err.contains("hint: "), "no advice: \(outcome.err)")
    let json = try await run(["--json"])
    try expectFailure(json, failure.code, word: failure.word)
  }

  @Test func `A full key has no room for a credential`() async throws {
    let box = try Sandbox()
    let full = ["--fault", "storage-full"]
    let outcome = try await box.keybackup(["credential", "create"], key: full, expecting: nil)
    expectFailure(outcome, 93, says: "no room", "--non-discoverable")
    _ = try await box.makeCredential(["--non-discoverable"], key: full)
  }

  /// A key that never answers must not hang the command.
  @Test func `A silent key is given up`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let outcome = try await box.keybackup(
      Sandbox.derive + ["--timeout", "1"], key: ["--fault", "silent:getAssertion"],
      expecting: nil)
    #expect([84, 91].contains(outcome.code), "\(outcome)")
  }

  /// The exit code for each status that a key can answer; 74 for the others.
  static let exitCodes: [UInt8: Int32] = [
    0x05: 84, 0x06: 75, 0x0A: 75, 0x15: 64, 0x16: 86, 0x19: 73, 0x22: 80, 0x27: 85, 0x28: 93,
    0x2D: 85, 0x2E: 80, 0x2F: 84, 0x30: 85, 0x31: 86, 0x32: 82, 0x33: 81, 0x34: 82, 0x35: 83,
    0x36: 78, 0x37: 65, 0x38: 81, 0x39: 64, 0x3A: 84, 0x3C: 82, 0x3F: 81, 0x40: 81,
  ]

  /// One key that answers each touch with another status.
  @Test func `Every status has its exit code`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let statuses = Array(UInt8(0x01)...0x41) + [0x7F, 0xDF, 0xE0, 0xEF, 0xF0, 0xFF]
    let faults = statuses.enumerated().flatMap { index, status in
      ["--fault", "error:getAssertion=\(status)@\(index + 1)"]
    }
    let script = """
      for n in $(seq \(statuses.count)); do "$@" 2>"$TMPDIR/said"; echo "$? $(grep ^keybackup: "$TMPDIR/said")"
      done
      """
    let command = [Build.keybackup] + Sandbox.derive + ["--pin-file", box.pinFile]
    let outcome = try await box.run(["sh", "-c", script, "sh"] + command, key: faults)
    let lines = outcome.out.split(separator: "\n").map(String.init)
    #expect(lines.count == statuses.count)
    for (status, line) in zip(statuses, lines) {
      let expected = Self.exitCodes[status] ?? 74
      #expect(line.hasPrefix("\(expected) keybackup: "), "\(String(status, radix: 16)): \(line)")
      // A status without a sentence of its own is shown with its name and number.
      guard expected == 74 else { continue }
      #expect(
        line.contains("FIDO_ERR_") && line.contains("(0x\(String(status, radix: 16)))"), "\(line)")
    }
  }

  /// No PIN was sent yet, and the key's answer says nothing of what it holds.
  @Test(arguments: ["0x28", "0x2F", "0x31", "0x37", "0x3A", "0x7F"])
  func `A silent question that fails does not end it`(_ status: String) async throws {
    let box = try Sandbox()
    let id = try await box.makeCredential()
    let trace = try await box.traced {
      try await box.keybackup(
        Sandbox.derive + ["--credential=" + id],
        key: ["--fault", "error:getAssertion=\(status)@1"])
    }
    #expect(PINTests.tries(trace) == 1, "\(trace)")
  }

  @Test func `A PIN called wrong that cost no try is the key's or the reader's fault`()
    async throws
  {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let outcome = try await box.keybackup(
      Sandbox.derive, key: ["--fault", "error:getAssertion=0x31"], expecting: nil)
    expectFailure(outcome, 86, says: "counted no try", "The key or its reader is at fault")
    #expect(!outcome.err.contains("wrong PIN"), "\(outcome.err)")
  }

  // MARK: While enrolling

  static let enrolments: [Failure] = [
    Failure(
      testDescription: "no hmac-secret", key: ["--no-hmac-secret"], code: 86,
      word: "prf-unsupported", says: ["hmac-secret"]),
    Failure(
      testDescription: "touch denied", key: ["--touch", "deny"], code: 85, word: "denied",
      says: ["refused"]),
    Failure(
      testDescription: "touch timed out", key: ["--touch", "never"], options: ["--timeout", "1"],
      code: 84, word: "touch-timeout", says: ["in time"]),
    Failure(
      testDescription: "no room", key: ["--fault", "storage-full"], code: 93,
      word: "authenticator-full", says: ["no room"]),
    Failure(
      testDescription: "no credentials are stored", key: ["--set", "no-rk"], code: 93,
      word: "authenticator-full", says: ["stores no credentials", "--non-discoverable"]),
    Failure(
      testDescription: "wrong PIN", key: [], pin: .descriptor("wrong-one"), code: 81,
      word: "pin-invalid", says: ["tries left"]),
    Failure(
      testDescription: "unplugged after the credential was made",
      key: ["--fault", "unplug:getAssertion"], code: 91, word: "authenticator-lost",
      says: ["unplugged", "credential delete --force"]),
    Failure(
      testDescription: "not delivered", key: ["--fault", "hmac-secret-missing"], code: 86,
      word: "prf-unsupported", says: ["gave no output", "credential delete --force"]),
    Failure(
      testDescription: "another output the second time", key: ["--fault", "hmac-secret-unstable"],
      code: 86, word: "prf-unsupported",
      says: ["two different outputs", "credential delete --force"]),
  ]

  /// Nothing is written.
  ///
  /// The message names what is left on the key, and it can be removed.
  @Test(arguments: enrolments)
  func `An enrolment that fails writes nothing`(_ failure: Failure) async throws {
    let box = try Sandbox()
    let arguments = ["init"] + failure.options
    let outcome = try await box.keybackup(
      arguments, key: failure.key, pin: failure.pin, expecting: nil)
    expectFailure(outcome, failure.code)
    for text in failure.says { #expect(outcome.err.contains(text), "\(outcome.err)") }
    #expect(Files.tree(box.folder).isEmpty)
    let list = try await box.keybackup(["credential", "list", "--json"]).json()
    let left = list["credentials"].items.compactMap { $0["credential_id"].text }
    #expect(left.allSatisfy { outcome.err.contains($0) }, "left on the key unsaid")
    for id in left { try await box.keybackup(["credential", "delete", "--force", id]) }
    let after = try await box.keybackup(["credential", "list", "--json"]).json()
    #expect(after["credentials"].items.isEmpty)
    let json = try await box.keybackup(
      arguments + ["--json"], key: failure.key, pin: failure.pin, expecting: nil)
    try expectFailure(json, failure.code, word: failure.word)
    #expect(Files.tree(box.folder).isEmpty)
    try await box.keybackup(["init"])
  }

  // MARK: Several keys

  @Test func `Two keys and nothing to tell them apart`() async throws {
    let box = try Sandbox()
    let keys = ["--key", box.root + "/a.json", "--key", box.root + "/b.json"]
    for arguments in [Sandbox.derive, ["credential", "create"], ["pin", "change"], ["init"]] {
      let outcome = try await box.keybackup(arguments, key: keys, expecting: nil)
      expectFailure(outcome, 90, says: "--device", "/dev/hidraw0", "/dev/hidraw1")
    }
    let json = try await box.keybackup(Sandbox.derive + ["--json"], key: keys, expecting: nil)
    try expectFailure(json, 90, word: "ambiguous")
    #expect(!box.trace.contains { $0.contains("getPin") || $0.contains("WAITING") })
  }

  @Test func `Of two keys the one that holds the credential is used`() async throws {
    let box = try Sandbox()
    let id = try await box.makeCredential(["--non-discoverable"])
    let alone = try await box.keybackup(Sandbox.derive + ["--credential", id])
    let keys = ["--key", box.root + "/other.json", "--key", box.keyState]
    let trace = try await box.traced {
      let outcome = try await box.keybackup(Sandbox.derive + ["--credential", id], key: keys)
      #expect(outcome.out == alone.out)
    }
    // The other key did not get the PIN and did not blink.
    #expect(!trace.contains { $0.hasPrefix("hidraw0") && $0.contains("WAITING") })
    #expect(!trace.contains { $0.hasPrefix("hidraw0") && $0.contains("Token") })
    // Named by its path, the key is used without a choice.
    let named = try await box.keybackup(
      Sandbox.derive + ["--device", "/dev/hidraw1"], key: keys, expecting: nil)
    #expect(named.code == 80 || named.out == alone.out, "\(named.text)")
  }

  @Test func `Several discoverable credentials must be told apart`() async throws {
    let box = try Sandbox()
    let first = try await box.makeCredential()
    let second = try await box.makeCredential()
    let outcome = try await box.keybackup(Sandbox.derive, expecting: nil)
    expectFailure(outcome, 90, says: "--credential", first, second)
    let one = try await box.keybackup(Sandbox.derive + ["--credential", first])
    let two = try await box.keybackup(Sandbox.derive + ["--credential", second])
    #expect(one.out != two.out)
  }
}
